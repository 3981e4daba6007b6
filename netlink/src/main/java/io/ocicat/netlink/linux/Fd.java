package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** An open file descriptor, which the owner of this object closes, once. Thread-safe. */
public final class Fd implements AutoCloseable {
  public static final int O_RDONLY = 0;
  public static final int O_WRONLY = 1;
  public static final int O_RDWR = 2;
  public static final int O_CREAT = 0x40;
  public static final int O_EXCL = 0x80;
  public static final int O_CLOEXEC = 0x80000;

  /** Does not wait, as opening a pipe without a writer otherwise does. */
  public static final int O_NONBLOCK = 0x800;

  /** Refers to the file without opening it: enough for its identity, and all a socket allows. */
  public static final int O_PATH = 0x200000;

  private static final int AT_FDCWD = -100;
  private static final int F_DUPFD_CLOEXEC = 1030;
  private static final int CLOSED = -1;
  // Generous: struct stat is 144 bytes on x86-64 and 128 on aarch64, struct statfs 120 on both.
  private static final int STAT_SIZE = 256;

  private final AtomicInteger number;

  private Fd(int number) {
    this.number = new AtomicInteger(number);
  }

  /** Takes ownership of a descriptor that a system call just returned. */
  public static Fd owning(long number) {
    return new Fd(Math.toIntExact(number));
  }

  public static Fd open(Path path, int flags, int mode) {
    try (Arena arena = Arena.ofConfined()) {
      long name = arena.allocateFrom(path.toString()).address();
      return owning(
          check(
              Kernel.call(Syscall.OPENAT, AT_FDCWD, name, flags | O_CLOEXEC, mode),
              () -> "open " + path));
    }
  }

  /** A duplicate descriptor for the same open file. */
  public static Fd duplicateOf(int number) {
    return owning(
        check(
            Kernel.call(Syscall.FCNTL, number, F_DUPFD_CLOEXEC, 0),
            () -> "duplicate descriptor " + number));
  }

  public int number() {
    int open = number.get();
    if (open == CLOSED) {
      throw new IllegalStateException("the descriptor is closed");
    }
    return open;
  }

  /** Device and inode: two descriptors of one file, or of one namespace, have equal identities. */
  public FileId id() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stat = arena.allocate(STAT_SIZE, Long.BYTES);
      check(Kernel.call(Syscall.FSTAT, number(), stat.address()), () -> "stat a descriptor");
      // st_dev and st_ino lead the structure on both architectures.
      return new FileId(stat.get(JAVA_LONG, 0), stat.get(JAVA_LONG, Long.BYTES));
    }
  }

  /** The type of its file system, by the number that statfs(2) lists. */
  public long fileSystem() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment statfs = arena.allocate(STAT_SIZE, Long.BYTES);
      check(
          Kernel.call(Syscall.FSTATFS, number(), statfs.address()),
          () -> "ask for the file system of a descriptor");
      // f_type leads the structure on both architectures.
      return statfs.get(JAVA_LONG, 0);
    }
  }

  @Override
  public void close() {
    int open = number.getAndSet(CLOSED);
    if (open != CLOSED) {
      // Linux frees the number even when close reports an error, so there is nothing to retry.
      Kernel.call(Syscall.CLOSE, open);
    }
  }

  /** The identity of a file or namespace, distinct from every other. */
  public record FileId(long device, long inode) {}
}
