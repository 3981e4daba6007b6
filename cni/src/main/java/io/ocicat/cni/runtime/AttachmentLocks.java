package io.ocicat.cni.runtime;

import io.ocicat.base.Deadline;
import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.NetworkName;
import java.io.IOException;
import java.nio.channels.FileLock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the specification requires of runtimes: one operation at a time per container, and
 * no other operation on a network during its GC. They apply among threads and, through a file in
 * the cache directory, among the processes that share it.
 *
 * <p>An operation on an attachment holds the network's lock shared and the container's exclusively;
 * GC holds the network's exclusively and takes the containers' one by one. Networks always come
 * before containers, which rules out deadlocks.
 */
final class AttachmentLocks {
  private static final long SHORTEST_PAUSE_MILLIS = 1;
  private static final long LONGEST_PAUSE_MILLIS = 50;

  private final LockFile file;
  private final Consumer<String> warnings;
  private final Map<String, Gate> gates = new ConcurrentHashMap<>();

  AttachmentLocks(LockFile file, Consumer<String> warnings) {
    this.file = file;
    this.warnings = warnings;
  }

  /** A lock, released by the thread that acquired it. */
  interface Held extends AutoCloseable {
    @Override
    void close();
  }

  /** For ADD, CHECK and DEL. */
  Held attachment(NetworkName network, ContainerId container, Deadline deadline) {
    Held shared = enter("network", network.value(), true, deadline);
    try {
      Held own = container(container, deadline);
      return () -> {
        own.close();
        shared.close();
      };
    } catch (RuntimeException e) {
      shared.close();
      throw e;
    }
  }

  /** For GC. */
  Held network(NetworkName network, Deadline deadline) {
    return enter("network", network.value(), false, deadline);
  }

  /** For DEL as a part of GC. */
  Held container(ContainerId container, Deadline deadline) {
    return enter("container", container.value(), false, deadline);
  }

  private Held enter(String kind, String name, boolean shared, Deadline deadline) {
    String key = kind + " " + name;
    Gate gate =
        gates.compute(
            key,
            (_, present) -> {
              Gate entered = present == null ? new Gate(kind, name) : present;
              entered.users++;
              return entered;
            });
    boolean entered = false;
    try {
      gate.lock(shared, deadline);
      entered = true;
    } finally {
      if (!entered) {
        leave(key);
      }
    }
    return () -> {
      gate.unlock(shared);
      leave(key);
    };
  }

  private void leave(String key) {
    gates.computeIfPresent(key, (_, gate) -> --gate.users == 0 ? null : gate);
  }

  /** A container or network that is in use. */
  private final class Gate {
    private final String kind;
    private final String name;
    private final ReentrantReadWriteLock threads = new ReentrantReadWriteLock(true);
    private final ReentrantLock processes = new ReentrantLock();
    private int sharers;
    private @Nullable FileLock fileLock;

    /** The number of holders and waiters; guarded by the map's own lock on the key. */
    private int users;

    Gate(String kind, String name) {
      this.kind = kind;
      this.name = name;
    }

    void lock(boolean shared, Deadline deadline) {
      Lock own = shared ? threads.readLock() : threads.writeLock();
      acquire(own, deadline);
      boolean locked = false;
      try {
        acquire(processes, deadline);
        try {
          if (sharers == 0) {
            fileLock = lockFile(shared, deadline);
          }
          sharers++;
        } finally {
          processes.unlock();
        }
        locked = true;
      } finally {
        if (!locked) {
          own.unlock();
        }
      }
    }

    void unlock(boolean shared) {
      processes.lock();
      try {
        if (--sharers == 0 && fileLock != null) {
          fileLock.release();
          fileLock = null;
        }
      } catch (IOException e) {
        warnings.accept("cannot give back the lock of %s %s: %s".formatted(kind, name, e));
      } finally {
        processes.unlock();
        (shared ? threads.readLock() : threads.writeLock()).unlock();
      }
    }

    private void acquire(Lock lock, Deadline deadline) {
      try {
        if (!lock.tryLock(deadline.remaining().toNanos(), TimeUnit.NANOSECONDS)) {
          throw busy();
        }
      } catch (InterruptedException e) {
        throw interrupted();
      }
    }

    /** Null when the file cannot be created: then only this process is protected. */
    private @Nullable FileLock lockFile(boolean shared, Deadline deadline) {
      long pause = SHORTEST_PAUSE_MILLIS;
      try {
        while (true) {
          FileLock lock = file.tryLock(kind + " " + name, shared).orElse(null);
          if (lock != null) {
            return lock;
          }
          if (deadline.hasPassed()) {
            throw busy();
          }
          Thread.sleep(pause);
          pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
        }
      } catch (IOException e) {
        warnings.accept(
            "%s %s is not protected from other processes: %s"
                .formatted(kind, Quoted.of(name), IoReason.of(e)));
        return null;
      } catch (InterruptedException e) {
        throw interrupted();
      }
    }

    private CniException busy() {
      return new CniException(
              ErrorCode.TRY_AGAIN_LATER,
              "%s %s is busy: another operation on it has not ended in time"
                  .formatted(kind, Quoted.of(name)))
          .because(FailureReason.TIMED_OUT);
    }

    private CniException interrupted() {
      Thread.currentThread().interrupt();
      return new CniException(
          ErrorCode.UNKNOWN,
          "interrupted while waiting for another operation on %s %s"
              .formatted(kind, Quoted.of(name)));
    }
  }
}
