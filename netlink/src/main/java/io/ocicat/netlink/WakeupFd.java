package io.ocicat.netlink;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.Syscall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Lets one thread wait for a descriptor while any other can end the wait. Closing the descriptor
 * would not work: Linux does not wake the waiting thread, and reuses the number.
 *
 * <p>One waiter at a time; any thread may end the wait.
 */
final class WakeupFd implements AutoCloseable {
  private static final int EFD_CLOEXEC_NONBLOCK = 0x80000 | 0x800;
  private static final short POLLIN = 1;
  private static final int POLLFD = 8;
  private static final int REVENTS = 6;
  private static final long NANOS = 1_000_000_000;

  private final Fd eventFd;
  private final MemorySegment polled = Arena.ofAuto().allocate(2 * POLLFD, Integer.BYTES);
  private final MemorySegment timespec = Arena.ofAuto().allocate(2 * Long.BYTES, Long.BYTES);

  WakeupFd() {
    eventFd =
        Fd.owning(
            check(Kernel.call(Syscall.EVENTFD2, 0, EFD_CLOEXEC_NONBLOCK), () -> "make an eventfd"));
  }

  /** Ends the current wait and every later one. */
  void wake() {
    MemorySegment one = Arena.ofAuto().allocateFrom(JAVA_LONG, 1);
    check(Kernel.call(Syscall.WRITE, eventFd.number(), one.address(), 8), () -> "ring an eventfd");
  }

  /**
   * Waits until the descriptor has something to read or an error to report.
   *
   * @param nanos how long at most
   * @return whether it has; false when the wait was ended or timed out
   */
  boolean await(int descriptor, long nanos) {
    long deadline = System.nanoTime() + nanos;
    while (true) {
      watch(0, descriptor);
      watch(1, eventFd.number());
      long left = Math.max(0, deadline - System.nanoTime());
      timespec.set(JAVA_LONG, 0, left / NANOS);
      timespec.set(JAVA_LONG, Long.BYTES, left % NANOS);
      long ready = Kernel.call(Syscall.PPOLL, polled.address(), 2, timespec.address(), 0, 0);
      if (ready != -Errno.EINTR.number()) {
        check(ready, () -> "wait for netlink");
        return polled.get(JAVA_SHORT, POLLFD + REVENTS) == 0
            && polled.get(JAVA_SHORT, REVENTS) != 0;
      }
    }
  }

  @Override
  public void close() {
    eventFd.close();
  }

  private void watch(int slot, int descriptor) {
    polled.set(JAVA_INT, (long) slot * POLLFD, descriptor);
    polled.set(JAVA_SHORT, (long) slot * POLLFD + 4, POLLIN);
    polled.set(JAVA_SHORT, (long) slot * POLLFD + REVENTS, (short) 0);
  }
}
