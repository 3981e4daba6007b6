package io.ocicat.agent;

import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.base.Backoff;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs the refresh of the node's own record on a thread of its own, because it waits for the
 * datastore: once for several requests that come while it runs, and again with backoff when it
 * fails.
 */
final class NodeRefresh implements AutoCloseable {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final Runnable work;
  private final RepairLog log;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition wanted = lock.newCondition();
  private boolean requested;
  private boolean closed;
  private volatile @Nullable String problem;
  private final Thread thread;

  NodeRefresh(Runnable work, RepairLog log) {
    this.work = work;
    this.log = log;
    this.thread = Thread.ofVirtual().name("agent-node").start(this::run);
  }

  void request() {
    lock.lock();
    try {
      requested = true;
      wanted.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Why the last refresh failed; empty when it did not. */
  Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  private void run() {
    Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
    try {
      while (awaitRequest()) {
        try {
          work.run();
          problem = null;
          backoff.reset();
        } catch (RuntimeException e) {
          String message = String.valueOf(e.getMessage());
          if (!message.equals(problem)) {
            log.write("the node's record cannot be brought up to date: " + message);
          }
          problem = message;
          Thread.sleep(backoff.next());
          request();
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean awaitRequest() throws InterruptedException {
    lock.lock();
    try {
      while (!requested && !closed) {
        wanted.await();
      }
      requested = false;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      wanted.signal();
    } finally {
      lock.unlock();
    }
    thread.interrupt();
  }
}
