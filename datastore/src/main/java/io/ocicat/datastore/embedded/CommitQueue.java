package io.ocicat.datastore.embedded;

import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Commits writes in groups: one session, and one disk sync for all transactions that queued up
 * during the previous one. A thread puts its transaction into the queue and waits for the lock; the
 * thread that gets it commits everything in the queue, each transaction with a revision of its own,
 * in one SQLite transaction. The others then find theirs committed. On an idle store that is the
 * same as committing alone.
 *
 * <p>A session in which SQLite failed is never used again: its statements may be half executed and
 * its transaction still open, with the lock that everybody else waits for. It is closed at once,
 * which rolls back and releases all of that, and the next write opens another.
 */
final class CommitQueue implements AutoCloseable {
  private static final int MAX_TOGETHER = 64;

  private final DatabaseFile file;
  private final SqliteFailure failure;
  private final EmbeddedSettings settings;
  private final ChangeNotifier notifier;
  private final ReentrantLock lock = new ReentrantLock(true);
  private final ConcurrentLinkedQueue<Waiting> queue = new ConcurrentLinkedQueue<>();
  private @Nullable SqliteSession session;
  private volatile @Nullable DatastoreException writeProblem;
  private boolean closed;

  CommitQueue(
      DatabaseFile file,
      SqliteSession session,
      SqliteFailure failure,
      EmbeddedSettings settings,
      ChangeNotifier notifier) {
    this.file = file;
    this.session = session;
    this.failure = failure;
    this.settings = settings;
    this.notifier = notifier;
  }

  private static final class Waiting {
    final Transaction transaction;
    @Nullable TransactionOutcome outcome;
    @Nullable RuntimeException refusal;

    Waiting(Transaction transaction) {
      this.transaction = transaction;
    }

    boolean isDone() {
      return outcome != null || refusal != null;
    }

    TransactionOutcome result() {
      if (refusal != null) {
        throw refusal;
      }
      return Objects.requireNonNull(outcome);
    }
  }

  TransactionOutcome commit(Transaction transaction) {
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

  /**
   * Commits this transaction, those before it, which are few with a fair lock, and some after it.
   */
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

  private static void decide(TransactionWriter writer, Waiting waiting) throws SQLException {
    try {
      waiting.outcome = writer.commit(waiting.transaction);
    } catch (DatastoreException e) {
      waiting.refusal = e;
    }
  }

  /** A task within one SQLite transaction. */
  @FunctionalInterface
  interface Work<T> {
    T run(TransactionWriter writer) throws SQLException;
  }

  /** Runs the task and waits for the disk. */
  <T> T write(Work<T> work) {
    return write(true, work);
  }

  /**
   * Ends expired leases, runs the task, commits, and notifies the watches when anything changed.
   */
  private <T> T write(boolean durable, Work<T> work) {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the datastore is closed");
      }
      long before;
      long after;
      T result;
      SqliteSession session = current();
      try {
        session.beginWriting(durable);
        before = EntryReader.revision(session);
        long now = settings.clock().millis();
        TransactionWriter writer = new TransactionWriter(session, now);
        KeyLeases.revokeEnded(session, writer, now);
        result = work.run(writer);
        after = writer.revision();
        Compaction.sometimes(session, before, after, settings.history());
      } catch (SQLException e) {
        throw failed(failure.of(e));
      } catch (RuntimeException e) {
        if (!session.rollback(e)) {
          discard();
        }
        throw e;
      }
      finish(session);
      Compaction.checkpointSometimes(session, before, after);
      if (after > before) {
        notifier.notifyAllProcesses();
      }
      return result;
    } finally {
      lock.unlock();
    }
  }

  private void finish(SqliteSession session) {
    try {
      session.commit();
      writeProblem = null;
    } catch (SQLException e) {
      throw failed(failure.ofCommit(e));
    }
  }

  private DatastoreException failed(DatastoreException e) {
    discard();
    writeProblem = e;
    return e;
  }

  private void discard() {
    if (session != null) {
      session.close();
      session = null;
    }
  }

  private SqliteSession current() {
    try {
      if (session != null && !file.isOf(session)) {
        discard();
      }
      SqliteSession now = session;
      if (now == null) {
        now = file.open();
        session = now;
      }
      return now;
    } catch (SQLException e) {
      throw failed(failure.of(e));
    } catch (UnavailableException e) {
      throw failed(e);
    }
  }

  /** The session of the current task. */
  SqliteSession session() {
    return Objects.requireNonNull(session);
  }

  /**
   * Returns why nothing can be written. After a failed write it tries another one, which changes
   * nothing but has to reach the disk. On an almost full disk that would succeed although the next
   * pod's write would not, so there it is not tried.
   */
  Optional<String> writeProblem() {
    DatastoreException last = writeProblem;
    if (last == null) {
      return Optional.empty();
    }
    if (!failure.hasRoom()) {
      return Optional.of(String.valueOf(last.getMessage()));
    }
    try {
      write(
          _ -> {
            session().run("UPDATE history SET compacted = compacted");
            return true;
          });
      return Optional.empty();
    } catch (DatastoreException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      discard();
    } finally {
      lock.unlock();
    }
  }
}
