package io.ocicat.daemon.server;

import io.ocicat.daemon.wire.WireReply;
import io.ocicat.daemon.wire.WireRequest;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.UnixSocket;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the memory that requests use, by their bytes and not by their number: a document takes up
 * to forty times its length while it is processed, so {@value #AT_ONCE} bytes at once are some
 * twelve megabytes of the heap. Nearly all requests have a few kilobytes and never wait. Those that
 * wait are served in order of arrival and receive keep-alives; DELs have a budget of their own, so
 * that hanging ADDs never keep them from starting.
 *
 * <p>In addition, one request at a time that is larger than {@value #LARGE} bytes is in memory: its
 * caller may still be sending and cannot receive keep-alives. A caller that has to wait for too
 * long, or whose request is larger than the daemon allows, is declined and makes the call itself.
 * Thread-safe.
 */
final class RequestBudget {
  static final int AT_ONCE = 320 << 10;
  static final int LARGE = 64 << 10;

  /** GC of a network with thousands of attachments is smaller. */
  static final int LARGEST = 512 << 10;

  private static final Duration LARGE_LIMIT = Duration.ofSeconds(2);

  /** Callers without a time limit wait no longer than others. */
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private static final Duration WORKING = Duration.ofSeconds(1);

  private final Semaphore dels = new Semaphore(AT_ONCE, true);
  private final Semaphore others = new Semaphore(AT_ONCE, true);
  private final Semaphore large = new Semaphore(1, true);

  /** The share of one connection, until it is closed. */
  final class Share implements AutoCloseable, WireRequest.Room {
    private final UnixSocket caller;
    private Semaphore from = others;
    private int taken;

    private Share(UnixSocket caller) {
      this.caller = caller;
    }

    @Override
    public boolean reserve(int bytes, Duration limit, boolean del) {
      if (bytes > LARGEST) {
        return false;
      }
      try {
        if (bytes > LARGE) {
          return acquire(large, 1, LARGE_LIMIT);
        }
        Duration most = limit.isPositive() && limit.compareTo(LONGEST) < 0 ? limit : LONGEST;
        return awaitRoom(del ? dels : others, bytes, most);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    private boolean awaitRoom(Semaphore budget, int bytes, Duration limit)
        throws InterruptedException {
      long deadline = System.nanoTime() + limit.toNanos();
      while (!acquire(budget, bytes, WORKING)) {
        if (System.nanoTime() - deadline > 0 || !isThere()) {
          return false;
        }
      }
      return true;
    }

    private boolean acquire(Semaphore budget, int permits, Duration limit)
        throws InterruptedException {
      if (budget.tryAcquire(permits, limit.toNanos(), TimeUnit.NANOSECONDS)) {
        from = budget;
        taken = permits;
        return true;
      }
      return false;
    }

    /** Sends the caller a keep-alive; false when it is gone. */
    private boolean isThere() {
      try {
        caller.send(new WireReply.Working().bytes(), Duration.ofMillis(100));
        return true;
      } catch (NetlinkException _) {
        return false;
      }
    }

    @Override
    public void close() {
      from.release(taken);
      taken = 0;
    }
  }

  Share of(UnixSocket caller) {
    return new Share(caller);
  }
}
