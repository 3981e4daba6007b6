package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.plugin.Call;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.plugins.calicolog.CalicoLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The lock file of Calico's IPAM plugins on a host, which keeps them from querying the datastore
 * all at once. It protects nothing: the datastore does. So a call that cannot get it continues
 * without.
 *
 * <p>Calls of this process hold it together, since they share reads and writes anyway; but no call
 * joins a hold that has lasted for a while, so that other processes get their turn. Thread-safe.
 */
final class HostLock {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final long LONGEST_HOLD = TimeUnit.SECONDS.toNanos(1);

  private final Map<Path, Hold> holds = new HashMap<>();

  /** The state of a file's lock in this process: being acquired, or held. */
  private static final class Hold {
    private @Nullable FileLock lock;
    private long since;
    private int holders;
  }

  /** Released when closed. */
  interface Held extends AutoCloseable {
    @Override
    void close();
  }

  /** Waits for the lock, at most a third of the remaining time. */
  Held acquire(Path file, Call call, CalicoLog log) {
    Duration third = call.deadline().remaining().dividedBy(3);
    Duration timeout = third.compareTo(TIMEOUT) < 0 ? third : TIMEOUT;
    try {
      Hold hold = join(file, timeout);
      return () -> leave(file, hold);
    } catch (IOException | NetlinkException e) {
      log.warn("going on without the lock %s: %s".formatted(file, e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return () -> {};
  }

  private Hold join(Path file, Duration timeout) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    Hold own = new Hold();
    synchronized (this) {
      Hold present = holds.putIfAbsent(file, own);
      while (present != null) {
        if (present.lock != null && System.nanoTime() - present.since < LONGEST_HOLD) {
          present.holders++;
          return present;
        }
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          throw new IOException("calls of this process hold it for too long");
        }
        wait(left);
        present = holds.putIfAbsent(file, own);
      }
    }
    try {
      Files.createDirectories(file.resolveSibling(""));
      FileLock lock =
          FileLock.acquire(
              file,
              FileLock.Mode.EXCLUSIVE,
              Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
      synchronized (this) {
        own.lock = lock;
        own.since = System.nanoTime();
        own.holders = 1;
        notifyAll();
      }
      return own;
    } catch (IOException | RuntimeException e) {
      synchronized (this) {
        holds.remove(file);
        notifyAll();
      }
      throw e;
    }
  }

  private synchronized void leave(Path file, Hold hold) {
    hold.holders--;
    if (hold.holders == 0) {
      holds.remove(file);
      if (hold.lock != null) {
        hold.lock.close();
      }
      notifyAll();
    }
  }
}
