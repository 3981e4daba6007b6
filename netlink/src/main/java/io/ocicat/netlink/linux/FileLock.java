package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock on a file or directory with flock(2), held until closed. It excludes every other holder,
 * in other processes and in this one. {@code FileChannel.lock} is no alternative: it is fcntl(2),
 * which programs written in Go do not use and flock does not see.
 *
 * <p>The kernel releases it when the holder dies, however that happens. The file is created if it
 * is missing and must never be removed: a process that opens a new one of that name would not be
 * excluded.
 *
 * <p>Thread-safe.
 */
public final class FileLock implements AutoCloseable {
  private static final int LOCK_NB = 4;
  private static final int LOCK_UN = 8;
  private static final int OWNER_ONLY = 0600;
  private static final long FIRST_PAUSE_NANOS = 500_000;
  private static final long LONGEST_PAUSE_NANOS = 20_000_000;

  /** The mode of a lock. */
  public enum Mode {
    /** Compatible with other shared locks. */
    SHARED(1),
    /** Exclusive. */
    EXCLUSIVE(2);

    private final int operation;

    Mode(int operation) {
      this.operation = operation;
    }
  }

  private final Fd fd;
  private final AtomicBoolean held = new AtomicBoolean(true);

  private FileLock(Fd fd) {
    this.fd = fd;
  }

  /** Waits as long as it takes, in the kernel's queue, blocking the platform thread. */
  public static FileLock acquire(Path path, Mode mode) {
    Fd fd = open(path);
    try {
      long result;
      do {
        result = Kernel.call(Syscall.FLOCK, fd.number(), mode.operation);
      } while (result == -Errno.EINTR.number());
      check(result, () -> describe(path, mode));
      return new FileLock(fd);
    } catch (RuntimeException e) {
      fd.close();
      throw e;
    }
  }

  /**
   * Polls until the limit has passed; then fails with EAGAIN and names the holder of the lock. Ends
   * early, with EINTR, when the thread is interrupted.
   */
  public static FileLock acquire(Path path, Mode mode, Duration limit) {
    Fd fd = open(path);
    try {
      Deadline deadline = Deadline.after(limit);
      long pause = FIRST_PAUSE_NANOS;
      while (!tryLock(fd, path, mode)) {
        long remaining = deadline.remainingNanos();
        if (remaining == 0) {
          throw new NetlinkException(
              describe(path, mode),
              Errno.EAGAIN,
              "still taken after " + deadline + LockHolders.of(fd.id()));
        }
        LockSupport.parkNanos(Math.min(pause, remaining));
        if (Thread.currentThread().isInterrupted()) {
          throw new NetlinkException(describe(path, mode), Errno.EINTR);
        }
        pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      }
      return new FileLock(fd);
    } catch (RuntimeException e) {
      fd.close();
      throw e;
    }
  }

  /** Takes the lock if it is free now. */
  public static Optional<FileLock> tryAcquire(Path path, Mode mode) {
    Fd fd = open(path);
    try {
      if (tryLock(fd, path, mode)) {
        return Optional.of(new FileLock(fd));
      }
    } catch (RuntimeException e) {
      fd.close();
      throw e;
    }
    fd.close();
    return Optional.empty();
  }

  /** A lock that the parent of this process acquired, and passed on with its descriptor. */
  public static FileLock adopt(Fd fd) {
    return new FileLock(fd);
  }

  private static boolean tryLock(Fd fd, Path path, Mode mode) {
    while (true) {
      long result = Kernel.call(Syscall.FLOCK, fd.number(), mode.operation | LOCK_NB);
      if (result == -Errno.EAGAIN.number()) {
        return false;
      }
      if (result != -Errno.EINTR.number()) {
        check(result, () -> describe(path, mode));
        return true;
      }
    }
  }

  /** Never waits: opening a pipe in its place would wait for a writer. */
  private static Fd open(Path path) {
    if (Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path)) {
      throw new NetlinkException(
          "open " + path, Errno.EINVAL, "it is neither a regular file nor a directory: remove it");
    }
    try {
      return Fd.open(path, Fd.O_RDONLY | Fd.O_CREAT | Fd.O_NONBLOCK, OWNER_ONLY);
    } catch (NetlinkException e) {
      if (e.is(Errno.EISDIR)) {
        return Fd.open(path, Fd.O_RDONLY, 0);
      }
      throw e;
    }
  }

  private static String describe(Path path, Mode mode) {
    return switch (mode) {
      case SHARED -> "lock " + path + " for sharing";
      case EXCLUSIVE -> "lock " + path;
    };
  }

  /**
   * Releases the lock. Explicitly, before closing: a child that is being started has copies of all
   * descriptors until its exec, and with them the lock.
   */
  @Override
  public void close() {
    if (held.getAndSet(false)) {
      Kernel.call(Syscall.FLOCK, fd.number(), LOCK_UN);
      fd.close();
    }
  }
}
