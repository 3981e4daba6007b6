package io.ocicat.daemon.server;

import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.UnixListener;
import io.ocicat.netlink.linux.UnixSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Threads that accept connections and serve them. One at a time waits for a connection; when it has
 * one, the next idle thread takes over the waiting and it serves the caller itself, so that no call
 * is handed from thread to thread. There are as many threads as there have been calls at once, up
 * to a limit; past that, callers wait in the socket's queue.
 *
 * <p>Platform threads, because plugins enter namespaces.
 */
final class ConnectionWorkers {
  private static final Duration IDLE = Duration.ofSeconds(30);

  /** How long no call must have come before a surplus thread ends: each takes 200 KiB. */
  private static final Duration QUIET = Duration.ofMillis(250);

  private static final Duration SHORTAGE = Duration.ofMillis(100);
  private static final int KEPT_IDLE = 4;

  private final UnixListener listener;
  private final Consumer<UnixSocket> serve;
  private final int most;
  private final ReentrantLock accepting = new ReentrantLock();
  private final List<Thread> threads = new ArrayList<>();
  private int idle;
  private int named;
  private volatile boolean stopping;

  ConnectionWorkers(UnixListener listener, int most, Consumer<UnixSocket> serve) {
    this.listener = listener;
    this.most = most;
    this.serve = serve;
  }

  void start() {
    startThread();
  }

  private void startThread() {
    synchronized (threads) {
      if (threads.size() < most && !stopping) {
        Thread thread = Thread.ofPlatform().name("call-" + ++named).unstarted(this::work);
        threads.add(thread);
        idle++;
        thread.start();
      }
    }
  }

  private void work() {
    try {
      while (!stopping) {
        Optional<UnixSocket> caller = accept();
        if (caller.isPresent()) {
          serve.accept(caller.get());
          synchronized (threads) {
            idle++;
          }
        } else if (isSuperfluous()) {
          return;
        }
      }
    } finally {
      synchronized (threads) {
        threads.remove(Thread.currentThread());
        threads.notifyAll();
      }
    }
  }

  private Optional<UnixSocket> accept() {
    accepting.lock();
    try {
      if (stopping) {
        return Optional.empty();
      }
      Optional<UnixSocket> caller = acceptWithBackoff();
      if (caller.isPresent()) {
        boolean last;
        synchronized (threads) {
          last = --idle == 0;
        }
        if (last) {
          startThread();
        }
      }
      return caller;
    } finally {
      accepting.unlock();
    }
  }

  /** Too many open files, or too little memory: wait while other calls finish; it passes. */
  private Optional<UnixSocket> acceptWithBackoff() {
    try {
      return listener.accept(hasMoreThanKept() ? QUIET : IDLE);
    } catch (NetlinkException _) {
      LockSupport.parkNanos(SHORTAGE.toNanos());
      return Optional.empty();
    }
  }

  private boolean hasMoreThanKept() {
    synchronized (threads) {
      return idle > KEPT_IDLE;
    }
  }

  private boolean isSuperfluous() {
    synchronized (threads) {
      if (hasMoreThanKept()) {
        idle--;
        return true;
      }
      return false;
    }
  }

  int busy() {
    synchronized (threads) {
      return threads.size() - idle;
    }
  }

  /** Stops accepting and waits until every accepted connection is served. */
  boolean drain(Duration limit) throws InterruptedException {
    stopping = true;
    listener.close();
    long deadline = System.nanoTime() + limit.toNanos();
    synchronized (threads) {
      while (!threads.isEmpty()) {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return false;
        }
        threads.wait(left);
      }
    }
    return true;
  }
}
