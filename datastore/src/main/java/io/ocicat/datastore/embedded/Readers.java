package io.ocicat.datastore.embedded;

import io.ocicat.datastore.DatastoreException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;

/** A few sessions that read beside the writer: a commit that waits for the disk stops no reader. */
final class Readers implements AutoCloseable {
  private static final int MAX = 4;

  private final SessionSource source;
  private final SqliteFailure failure;
  private final Semaphore places = new Semaphore(MAX, true);
  private final Deque<Session> idle = new ArrayDeque<>();
  private volatile boolean closed;

  Readers(SessionSource source, SqliteFailure failure) {
    this.source = source;
    this.failure = failure;
  }

  /** Opens one more session. */
  @FunctionalInterface
  interface SessionSource {
    Session open() throws SQLException;
  }

  /** Reads something. */
  @FunctionalInterface
  interface Reading<T> {
    T read(Session session) throws SQLException;
  }

  /** Reads with a single statement, which sees one state by itself. */
  <T> T read(Reading<T> reading) {
    places.acquireUninterruptibly();
    try {
      Session session = take();
      boolean sound = false;
      try {
        T result = reading.read(session);
        sound = true;
        return result;
      } catch (DatastoreException e) {
        sound = true;
        throw e;
      } finally {
        giveBack(session, sound);
      }
    } catch (SQLException e) {
      throw failure.of(e);
    } finally {
      places.release();
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

  private Session take() throws SQLException {
    synchronized (idle) {
      if (closed) {
        throw new IllegalStateException("the datastore is closed");
      }
      if (!idle.isEmpty()) {
        return idle.pop();
      }
    }
    return source.open();
  }

  /** A session that failed is not used again: nobody knows what state it is in. */
  private void giveBack(Session session, boolean sound) {
    if (!sound) {
      session.close();
      return;
    }
    synchronized (idle) {
      idle.push(session);
    }
  }

  /** Waits for who still reads. */
  @Override
  public void close() {
    closed = true;
    places.acquireUninterruptibly(MAX);
    try {
      synchronized (idle) {
        idle.forEach(Session::close);
        idle.clear();
      }
    } finally {
      places.release(MAX);
    }
  }
}
