package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.ocicat.netlink.linux.Fd.FileId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * The result of stat(2). The JDK offers a change time only as an attribute by name, for which it
 * builds a map each time.
 *
 * @param modifiedNanos since 1970
 * @param changedNanos since 1970: when anything about the file changed, times included
 */
public record FileStat(FileId id, long modifiedNanos, long changedNanos) {
  private static final int AT_FDCWD = -100;
  private static final long SECOND = 1_000_000_000;
  private static final long MILLISECOND = 1_000_000;

  /**
   * A file system's clock ticks some hundred times a second; changes within one tick look alike.
   */
  private static final long SEVERAL_TICKS = 100 * MILLISECOND;

  // struct stat differs between x86-64 and aarch64, but not in these fields.
  private static final int SIZE = 144;
  private static final int DEVICE = 0;
  private static final int INODE = 8;
  private static final int MODIFIED = 88;
  private static final int CHANGED = 104;

  /** Follows links. */
  public static FileStat of(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stat = arena.allocate(SIZE, Long.BYTES);
      long name = arena.allocateFrom(path.toString()).address();
      check(
          Kernel.call(Syscall.NEWFSTATAT, AT_FDCWD, name, stat.address(), 0), () -> "stat " + path);
      return new FileStat(
          new FileId(stat.get(JAVA_LONG, DEVICE), stat.get(JAVA_LONG, INODE)),
          time(stat, MODIFIED),
          time(stat, CHANGED));
    }
  }

  /**
   * Whether every later change will be visible in the times: not while the last one was just now.
   *
   * @param unixMillis the current time, or slightly earlier
   */
  public boolean isSettled(long unixMillis) {
    return unixMillis * MILLISECOND - changedNanos > SEVERAL_TICKS;
  }

  private static long time(MemorySegment stat, int at) {
    return stat.get(JAVA_LONG, at) * SECOND + stat.get(JAVA_LONG, at + Long.BYTES);
  }
}
