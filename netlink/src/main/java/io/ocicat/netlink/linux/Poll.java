package io.ocicat.netlink.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Waits with ppoll(2) until a descriptor is ready, a second one cancels the wait, or time is up.
 */
final class Poll {
  static final int IN = 0x1;
  static final int OUT = 0x4;

  /** The peer will send nothing more. */
  static final int PEER_DONE = 0x2000;

  private static final int POLLFD = 8;
  private static final int REVENTS = 6;
  private static final int NOBODY = -1;

  enum Result {
    READY,
    CALLED_OFF,
    TOO_LATE
  }

  private Poll() {}

  static Result await(int descriptor, int events, Deadline deadline) {
    return await(descriptor, events, NOBODY, deadline);
  }

  /**
   * Waits.
   *
   * @param events what to wait for; errors and hang-ups end the wait as well
   * @param callOff a descriptor that cancels the wait when it becomes readable
   */
  static Result await(int descriptor, int events, int callOff, Deadline deadline) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment fds = arena.allocate(2 * POLLFD, Integer.BYTES);
      MemorySegment timespec = arena.allocate(2 * Long.BYTES, Long.BYTES);
      while (true) {
        watch(fds, 0, descriptor, events);
        watch(fds, POLLFD, callOff, IN);
        long remaining = deadline.remainingNanos();
        timespec.set(JAVA_LONG, 0, remaining / 1_000_000_000);
        timespec.set(JAVA_LONG, Long.BYTES, remaining % 1_000_000_000);
        long limit = deadline.isNever() ? 0 : timespec.address();
        long ready = Kernel.call(Syscall.PPOLL, fds.address(), 2, limit, 0, 0);
        if (ready == 0) {
          return Result.TOO_LATE;
        }
        if (ready > 0) {
          return fds.get(JAVA_SHORT, POLLFD + REVENTS) == 0 ? Result.READY : Result.CALLED_OFF;
        }
        if (ready != -Errno.EINTR.number()) {
          throw new NetlinkException("wait for descriptor " + descriptor, Errno.ofResult(ready));
        }
      }
    }
  }

  /** The kernel ignores a negative descriptor. */
  private static void watch(MemorySegment fds, int at, int descriptor, int events) {
    fds.set(JAVA_INT, at, descriptor);
    fds.set(JAVA_SHORT, at + Integer.BYTES, (short) events);
    fds.set(JAVA_SHORT, at + REVENTS, (short) 0);
  }
}
