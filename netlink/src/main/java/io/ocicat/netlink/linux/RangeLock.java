package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * An exclusive lock on one byte of a file. The byte need not exist, so one file provides as many
 * locks as there are numbers, and none of them needs cleaning up. The lock belongs to an open file
 * description (fcntl(2), F_OFD_SETLK), so that it also excludes other threads of this process, and
 * the kernel releases it when the holder dies.
 *
 * <p>Thread-safe.
 */
public final class RangeLock implements AutoCloseable {
  private static final int F_OFD_SETLK = 37;
  private static final short F_WRLCK = 1;
  private static final int STRUCT_FLOCK = 32;
  private static final int START = 8;
  private static final int LENGTH = 16;
  private static final int OWNER_ONLY = 0600;
  private static final long FIRST_PAUSE_NANOS = 200_000;
  private static final long LONGEST_PAUSE_NANOS = 20_000_000;

  private final Fd fd;
  private final AtomicBoolean held = new AtomicBoolean(true);

  private RangeLock(Fd fd) {
    this.fd = fd;
  }

  /**
   * Polls until the limit has passed; empty then, or when the thread is interrupted.
   *
   * @param file created if it is missing; must never be removed
   * @param number which of its locks; not negative
   */
  public static Optional<RangeLock> acquire(Path file, long number, Duration limit) {
    Fd fd = Fd.open(file, Fd.O_RDWR | Fd.O_CREAT, OWNER_ONLY);
    try {
      Deadline deadline = Deadline.after(limit);
      long pause = FIRST_PAUSE_NANOS;
      while (!tryLock(fd, file, number)) {
        long remaining = deadline.remainingNanos();
        if (remaining == 0 || Thread.currentThread().isInterrupted()) {
          fd.close();
          return Optional.empty();
        }
        LockSupport.parkNanos(Math.min(pause, remaining));
        pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      }
      return Optional.of(new RangeLock(fd));
    } catch (RuntimeException e) {
      fd.close();
      throw e;
    }
  }

  private static boolean tryLock(Fd fd, Path file, long number) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment flock = arena.allocate(STRUCT_FLOCK, Long.BYTES);
      flock.set(JAVA_SHORT, 0, F_WRLCK);
      flock.set(JAVA_LONG, START, number);
      flock.set(JAVA_LONG, LENGTH, 1);
      long result = Kernel.call(Syscall.FCNTL, fd.number(), F_OFD_SETLK, flock.address());
      if (result == -Errno.EAGAIN.number() || result == -Errno.EACCES.number()) {
        return false;
      }
      check(result, () -> "lock byte %d of %s".formatted(number, file));
      return true;
    } catch (NetlinkException e) {
      if (e.is(Errno.EINTR)) {
        return false;
      }
      throw e;
    }
  }

  /** Releases the lock. */
  @Override
  public void close() {
    if (held.getAndSet(false)) {
      fd.close();
    }
  }
}
