package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Sets the modification time of a file without touching its access time. The JDK can only set both:
 * it opens the file, reads the other one, and closes it again.
 */
public final class ModificationTime {
  private static final int AT_FDCWD = -100;
  private static final long SECOND = 1_000_000_000;

  /** In place of nanoseconds: leave this time unchanged (utimensat(2)). */
  private static final long OMIT = (1 << 30) - 2;

  private ModificationTime() {}

  /**
   * Follows links. The file system may round the time.
   *
   * @param nanos since 1970
   */
  public static void set(Path path, long nanos) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment times = arena.allocate(4 * Long.BYTES, Long.BYTES);
      times.setAtIndex(JAVA_LONG, 1, OMIT);
      times.setAtIndex(JAVA_LONG, 2, Math.floorDiv(nanos, SECOND));
      times.setAtIndex(JAVA_LONG, 3, Math.floorMod(nanos, SECOND));
      long name = arena.allocateFrom(path.toString()).address();
      check(
          Kernel.call(Syscall.UTIMENSAT, AT_FDCWD, name, times.address(), 0),
          () -> "set the time of " + path);
    }
  }
}
