package io.ocicat.image.files;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.Syscall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An open directory, and the system calls that act on names in it. A name is one component, a
 * {@link RawName}; none of the calls follows a symbolic link, so nothing outside can be reached.
 * Failures are {@link NetlinkException}s that name the operation and the file.
 *
 * <p>Not thread-safe. The owner closes it.
 */
public final class Directory implements AutoCloseable {
  private static final boolean AARCH64 = "aarch64".equals(System.getProperty("os.arch"));
  private static final int O_DIRECTORY = AARCH64 ? 0x4000 : 0x10000;
  private static final int O_NOFOLLOW = AARCH64 ? 0x8000 : 0x20000;
  private static final int AT_FDCWD = -100;
  private static final int AT_SYMLINK_NOFOLLOW = 0x100;
  private static final int AT_REMOVEDIR = 0x200;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int STATX_BASIC = 0x7ff;
  private static final int LINK_MAX = 4096;
  private static final int LISTING = 32 << 10;
  private static final int UTIME_OMIT = (1 << 30) - 2;
  private static final int OWNER_ONLY = 0600;

  private final Fd fd;
  private final String path;

  private Directory(Fd fd, String path) {
    this.fd = fd;
    this.path = path;
  }

  /** Opens a directory by a path of ours, whose links are followed. */
  public static Directory open(Path path) {
    return new Directory(Fd.open(path, Fd.O_RDONLY | O_DIRECTORY, 0), RawName.ofText(path + ""));
  }

  /** Opens a directory in this one; fails with ENOTDIR or ELOOP for anything else. */
  public Directory child(String name) {
    return new Directory(
        openAt(name, Fd.O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0, "open"), pathOf(name));
  }

  /** A path for system calls and programs of this process, valid while this is open. */
  public String descriptorPath() {
    return "/proc/self/fd/" + fd.number();
  }

  /** Where it is, as a {@link RawName}, for messages. */
  public String path() {
    return path;
  }

  public FileStatus status() {
    return status("", AT_EMPTY_PATH).orElseThrow();
  }

  /** Empty if there is no such name. */
  public Optional<FileStatus> status(String name) {
    return status(name, AT_SYMLINK_NOFOLLOW);
  }

  private Optional<FileStatus> status(String name, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment statx = arena.allocate(FileStatus.SIZE, Long.BYTES);
      long result =
          Kernel.call(
              Syscall.STATX, fd.number(), raw(arena, name), flags, STATX_BASIC, statx.address());
      if (result == -Errno.ENOENT.number()) {
        return Optional.empty();
      }
      check(result, () -> describe("stat", name));
      return Optional.of(FileStatus.of(statx));
    }
  }

  public void makeDirectory(String name, int permissions) {
    call(Syscall.MKDIRAT, name, permissions, 0, "make directory");
  }

  /** Makes a device or a FIFO; a character device 0:0 is a whiteout of overlayfs. */
  public void makeNode(String name, int mode, int major, int minor) {
    long device =
        ((major & 0xfffL) << 8)
            | (minor & 0xffL)
            | ((minor & ~0xffL) << 12)
            | ((major & ~0xfffL) << 32);
    call(Syscall.MKNODAT, name, mode, device, "make node");
  }

  /** Makes a symbolic link. */
  public void symlink(String name, String target) {
    try (Arena arena = Arena.ofConfined()) {
      check(
          Kernel.call(Syscall.SYMLINKAT, raw(arena, target), fd.number(), raw(arena, name)),
          () -> describe("make link", name));
    }
  }

  /** Makes {@code name} another name of {@code oldName} in the other directory. */
  public void link(Directory other, String oldName, String name) {
    try (Arena arena = Arena.ofConfined()) {
      check(
          Kernel.call(
              Syscall.LINKAT,
              other.fd.number(),
              raw(arena, oldName),
              fd.number(),
              raw(arena, name),
              0),
          () -> describe("make hard link", name));
    }
  }

  /** Gives {@code name} a new name in another directory of the same file system. */
  public void rename(String name, Directory other, String newName) {
    try (Arena arena = Arena.ofConfined()) {
      check(
          Kernel.call(
              Syscall.RENAMEAT,
              fd.number(),
              raw(arena, name),
              other.fd.number(),
              raw(arena, newName)),
          () -> describe("rename", name));
    }
  }

  /** Creates a regular file that does not exist. */
  public OpenFile create(String name) {
    return new OpenFile(
        openAt(name, Fd.O_WRONLY | Fd.O_CREAT | Fd.O_EXCL | O_NOFOLLOW, OWNER_ONLY, "create"),
        pathOf(name));
  }

  /** Opens a regular file for reading; anything else must have been excluded by its status. */
  public OpenFile read(String name) {
    return new OpenFile(
        openAt(name, Fd.O_RDONLY | Fd.O_NONBLOCK | O_NOFOLLOW, 0, "open"), pathOf(name));
  }

  public String readLink(String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment target = arena.allocate(LINK_MAX);
      long length =
          check(
              Kernel.call(
                  Syscall.READLINKAT,
                  fd.number(),
                  raw(arena, name),
                  target.address(),
                  target.byteSize()),
              () -> describe("read link", name));
      return RawName.of(target.asSlice(0, length).toArray(JAVA_BYTE));
    }
  }

  /** Removes anything but a directory. */
  public void remove(String name) {
    call(Syscall.UNLINKAT, name, 0, 0, "remove");
  }

  /** Removes an empty directory. */
  public void removeDirectory(String name) {
    call(Syscall.UNLINKAT, name, AT_REMOVEDIR, 0, "remove directory");
  }

  /** All names but {@code .} and {@code ..}, in the order of their bytes. */
  public List<String> names() {
    List<String> names = new ArrayList<>();
    try (Directory listing = child(".");
        Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(LISTING, Long.BYTES);
      long length;
      do {
        length =
            check(
                Kernel.call(
                    Syscall.GETDENTS64, listing.fd.number(), buffer.address(), buffer.byteSize()),
                () -> describe("list", ""));
        for (long at = 0; at < length; ) {
          int size = Short.toUnsignedInt(buffer.get(JAVA_SHORT_UNALIGNED, at + 16));
          String name = nameAt(buffer, at + 19);
          if (!name.equals(".") && !name.equals("..")) {
            names.add(name);
          }
          at += size;
        }
      } while (length > 0);
    }
    names.sort(null);
    return names;
  }

  private static String nameAt(MemorySegment buffer, long at) {
    return buffer.getString(at, StandardCharsets.ISO_8859_1);
  }

  /** Changes the owner, of a link itself. */
  public void owner(String name, int uid, int gid) {
    try (Arena arena = Arena.ofConfined()) {
      int flags = name.isEmpty() ? AT_EMPTY_PATH : AT_SYMLINK_NOFOLLOW;
      check(
          Kernel.call(
              Syscall.FCHOWNAT,
              fd.number(),
              raw(arena, name),
              Integer.toUnsignedLong(uid),
              Integer.toUnsignedLong(gid),
              flags),
          () -> describe("change the owner of", name));
    }
  }

  /** Changes permissions; the name must not be a link. */
  public void permissions(String name, int permissions) {
    if (name.isEmpty()) {
      check(
          Kernel.call(Syscall.FCHMOD, fd.number(), permissions),
          () -> describe("change the mode of", name));
    } else {
      call(Syscall.FCHMODAT, name, permissions, 0, "change the mode of");
    }
  }

  /** Sets the time of modification. */
  public void modified(String name, long seconds, int nanos) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment times = arena.allocate(4L * Long.BYTES, Long.BYTES);
      times.setAtIndex(JAVA_LONG, 0, 0);
      times.setAtIndex(JAVA_LONG, 1, UTIME_OMIT);
      times.setAtIndex(JAVA_LONG, 2, seconds);
      times.setAtIndex(JAVA_LONG, 3, nanos);
      check(
          Kernel.call(
              Syscall.UTIMENSAT,
              name.isEmpty() ? AT_FDCWD : fd.number(),
              raw(arena, name.isEmpty() ? descriptorPath() : name),
              times.address(),
              name.isEmpty() ? 0 : AT_SYMLINK_NOFOLLOW),
          () -> describe("set the time of", name));
    }
  }

  /** Sets an extended attribute, of a link itself. Returns the errno, 0 for success. */
  public int attribute(String name, String key, byte[] value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(Math.max(1, value.length));
      MemorySegment.copy(value, 0, data, JAVA_BYTE, 0, value.length);
      return (int)
          -Kernel.call(
              Syscall.LSETXATTR,
              attributePath(arena, name),
              raw(arena, key),
              data.address(),
              value.length,
              0);
    }
  }

  /** The value of an extended attribute. */
  public Optional<byte[]> attribute(String name, String key) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(64 << 10);
      long length =
          Kernel.call(
              Syscall.LGETXATTR,
              attributePath(arena, name),
              raw(arena, key),
              data.address(),
              data.byteSize());
      if (length == -Errno.ENODATA.number() || length == -Errno.EOPNOTSUPP.number()) {
        return Optional.empty();
      }
      check(length, () -> describe("read attribute " + key + " of", name));
      return Optional.of(data.asSlice(0, length).toArray(JAVA_BYTE));
    }
  }

  /** The names of the extended attributes; none where the file system has none. */
  public List<String> attributes(String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(64 << 10);
      long length =
          Kernel.call(
              Syscall.LLISTXATTR, attributePath(arena, name), data.address(), data.byteSize());
      if (length == -Errno.EOPNOTSUPP.number()) {
        return List.of();
      }
      check(length, () -> describe("list attributes of", name));
      List<String> keys = new ArrayList<>();
      for (long at = 0; at < length; at += keys.getLast().length() + 1L) {
        keys.add(nameAt(data, at));
      }
      keys.sort(null);
      return keys;
    }
  }

  /** There is no setxattrat before Linux 6.13. */
  private long attributePath(Arena arena, String name) {
    return raw(arena, descriptorPath() + "/" + (name.isEmpty() ? "." : name));
  }

  /** Writes all that was changed on its file system to disk. */
  public void syncFileSystem() {
    check(Kernel.call(Syscall.SYNCFS, fd.number()), () -> describe("sync", ""));
  }

  /** Writes the directory's own entries to disk. */
  public void sync() {
    check(Kernel.call(Syscall.FSYNC, fd.number()), () -> describe("sync", ""));
  }

  private Fd openAt(String name, int flags, int mode, String verb) {
    try (Arena arena = Arena.ofConfined()) {
      return Fd.owning(
          check(
              Kernel.call(
                  Syscall.OPENAT, fd.number(), raw(arena, name), flags | Fd.O_CLOEXEC, mode),
              () -> describe(verb, name)));
    }
  }

  private void call(Syscall syscall, String name, long c, long d, String verb) {
    try (Arena arena = Arena.ofConfined()) {
      check(Kernel.call(syscall, fd.number(), raw(arena, name), c, d), () -> describe(verb, name));
    }
  }

  private static long raw(Arena arena, String name) {
    return arena.allocateFrom(name, StandardCharsets.ISO_8859_1).address();
  }

  private String pathOf(String name) {
    return name.isEmpty() || name.equals(".") ? path : path + "/" + name;
  }

  private String describe(String verb, String name) {
    return verb + " " + RawName.quoted(pathOf(name));
  }

  @Override
  public void close() {
    fd.close();
  }
}
