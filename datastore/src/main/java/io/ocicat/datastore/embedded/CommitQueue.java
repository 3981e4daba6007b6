package io.ocicat.datastore.embedded;

import io.ocicat.datastore.DatastoreException;
import io.ocicat.datastore.kv.Outcome;
import io.ocicat.datastore.kv.Transaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The writing side: one session, and one wait for the disk for everybody who came while the last
 * one was under way. A thread puts its transaction into the queue and asks for the lock; whoever
 * gets it does all that are in the queue, each with a revision of its own, in one SQLite
 * transaction. Those behind find theirs done. On an idle store that is the same as doing it alone.
 */
final class CommitQueue implements AutoCloseable {
  private static final int MAX_TOGETHER = 64;

  private final Session session;
  private final SqliteFailure failure;
  private final Settings settings;
  private final Bell bell;
  private final ReentrantLock lock = new ReentrantLock(true);
  private final ConcurrentLinkedQueue<Waiting> queue = new ConcurrentLinkedQueue<>();
  private boolean closed;

  CommitQueue(Session session, SqliteFailure failure, Settings settings, Bell bell) {
    this.session = session;
    this.failure = failure;
    this.settings = settings;
    this.bell = bell;
  }

  private static final class Waiting {
    final Transaction transaction;
    @Nullable Outcome outcome;
    @Nullable RuntimeException refusal;

    Waiting(Transaction transaction) {
      this.transaction = transaction;
    }

    boolean isDone() {
      return outcome != null || refusal != null;
    }

    Outcome result() {
      if (refusal != null) {
        throw refusal;
      }
      return Objects.requireNonNull(outcome);
    }
  }

  Outcome commit(Transaction transaction) {
    Waiting mine = new Waiting(transaction);
    queue.add(mine);
    lock.lock();
    try {
      if (!mine.isDone()) {
        commitTogether(mine);
      }
    } finally {
      lock.unlock();
    }
    return mine.result();
  }

  /** Does mine and those in front of it, which with a fair lock are few, and some behind it. */
  private void commitTogether(Waiting mine) {
    while (!mine.isDone()) {
      List<Waiting> together = new ArrayList<>();
      for (Waiting next = queue.poll(); next != null; next = queue.poll()) {
        together.add(next);
        if (together.size() == MAX_TOGETHER) {
          break;
        }
      }
      try {
        write(
            together.stream().anyMatch(this::isDurable),
            writer -> {
              for (Waiting waiting : together) {
                decide(writer, waiting);
              }
              return together.size();
            });
      } catch (RuntimeException e) {
        for (Waiting waiting : together) {
          waiting.outcome = null;
          waiting.refusal = e;
        }
      }
    }
  }

  private boolean isDurable(Waiting waiting) {
    return waiting.transaction.changes().stream()
        .anyMatch(change -> settings.durable().test(change.key()));
  }

  private static void decide(Writer writer, Waiting waiting) throws SQLException {
    try {
      waiting.outcome = writer.commit(waiting.transaction);
    } catch (DatastoreException e) {
      waiting.refusal = e;
    }
  }

  /** Something to do within one SQLite transaction. */
  @FunctionalInterface
  interface Work<T> {
    T run(Writer writer) throws SQLException;
  }

  /** Does the work and waits for the disk. */
  <T> T write(Work<T> work) {
    return write(true, work);
  }

  /** Ends leases whose time is over, does the work, commits, and rings when anything changed. */
  private <T> T write(boolean durable, Work<T> work) {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the datastore is closed");
      }
      long before;
      long after;
      T result;
      try {
        session.beginWriting(durable);
        before = Entries.revision(session);
        long now = settings.clock().millis();
        Writer writer = new Writer(session, now);
        Leases.revokeEnded(session, writer, now);
        result = work.run(writer);
        after = writer.revision();
        Compaction.sometimes(session, before, after, settings.history());
      } catch (SQLException e) {
        session.rollback(e);
        throw failure.of(e);
      } catch (RuntimeException e) {
        session.rollback(e);
        throw e;
      }
      finish();
      Compaction.checkpointSometimes(session, before, after);
      if (after > before) {
        bell.ring();
      }
      return result;
    } finally {
      lock.unlock();
    }
  }

  private void finish() {
    try {
      session.commit();
    } catch (SQLException e) {
      session.rollback(e);
      throw failure.ofCommit(e);
    }
  }

  Session session() {
    return session;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      session.close();
    } finally {
      lock.unlock();
    }
  }
}
