package io.ocicat.datastore.embedded;

import io.ocicat.datastore.error.DatastoreException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A small pool of read sessions, separate from the writer: a commit that waits for the disk blocks
 * no reader.
 */
final class ReadSessions implements AutoCloseable {
  private static final int MAX = 4;

  private final DatabaseFile file;
  private final SqliteFailure failure;
  private final Semaphore permits = new Semaphore(MAX, true);
  private final Deque<SqliteSession> idle = new ArrayDeque<>();
  private volatile boolean closed;

  ReadSessions(DatabaseFile file, SqliteFailure failure) {
    this.file = file;
    this.failure = failure;
  }

  /** A read in a session. */
  @FunctionalInterface
  interface Reading<T> {
    T read(SqliteSession session) throws SQLException;
  }

  /** Reads with a single statement, which sees one state by itself. */
  <T> T read(Reading<T> reading) {
    permits.acquireUninterruptibly();
    try {
      SqliteSession session = acquire();
      boolean usable = false;
      try {
        T result = reading.read(session);
        usable = true;
        return result;
      } catch (DatastoreException e) {
        usable = true;
        throw e;
      } finally {
        release(session, usable);
      }
    } catch (SQLException e) {
      throw failure.of(e);
    } finally {
      permits.release();
    }
  }

  /** Reads with several statements that see the same state. */
  <T> T readTogether(Reading<T> reading) {
    return read(
        session -> {
          session.begin();
          try {
            T result = reading.read(session);
            session.commit();
            return result;
          } catch (DatastoreException e) {
            session.commit();
            throw e;
          }
        });
  }

  private SqliteSession acquire() throws SQLException {
    for (SqliteSession kept = idle(); kept != null; kept = idle()) {
      if (isCurrent(kept)) {
        return kept;
      }
    }
    return file.open();
  }

  private boolean isCurrent(SqliteSession kept) {
    boolean current = false;
    try {
      current = file.isOf(kept);
      return current;
    } finally {
      if (!current) {
        kept.close();
      }
    }
  }

  private @Nullable SqliteSession idle() {
    synchronized (idle) {
      if (closed) {
        throw new IllegalStateException("the datastore is closed");
      }
      return idle.poll();
    }
  }

  /** A session that failed is not reused: its state is unknown. */
  private void release(SqliteSession session, boolean usable) {
    if (!usable) {
      session.close();
      return;
    }
    synchronized (idle) {
      idle.push(session);
    }
  }

  /** Waits for active readers. */
  @Override
  public void close() {
    closed = true;
    permits.acquireUninterruptibly(MAX);
    try {
      synchronized (idle) {
        idle.forEach(SqliteSession::close);
        idle.clear();
      }
    } finally {
      permits.release(MAX);
    }
  }
}
