package io.ocicat.netlink.ns;

import static io.ocicat.netlink.linux.NetlinkException.check;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.Syscall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Named network namespaces, compatible with {@code ip netns}: a bind mount of the namespace on an
 * empty file in a directory. Both see and remove what the other created.
 *
 * @param directory {@code /run/netns} for {@code ip netns}
 */
public record NamedNetNs(Path directory) {
  private static final int MS_BIND = 0x1000;
  private static final int MS_REC = 0x4000;
  private static final int MS_SHARED = 0x100000;
  private static final int MNT_DETACH = 2;
  private static final Pattern NAME = Pattern.compile("(?!\\.{1,2}$)[^/\\x00]{1,255}");

  /** The directory of {@code ip netns}. */
  public static NamedNetNs standard() {
    return new NamedNetNs(Path.of("/run/netns"));
  }

  /** Creates a new, empty namespace with a name. Fails with EEXIST when the name is taken. */
  public NetNs create(String name) {
    Path file = pathOf(name);
    prepare();
    Fd.open(file, Fd.O_RDONLY | Fd.O_CREAT | Fd.O_EXCL, 0).close();
    try {
      return NamespaceThread.startUnchecked(
          "netns-create",
          () -> {
            NetNs.unshare();
            mount("/proc/thread-self/ns/net", file, MS_BIND, "bind network namespace " + file);
            return NetNs.current();
          });
    } catch (RuntimeException e) {
      remove(name);
      throw e;
    }
  }

  public NetNs open(String name) {
    return NetNs.open(pathOf(name));
  }

  /**
   * Removes the name; the namespace itself ends with its last user. Returns whether the name
   * existed.
   */
  public boolean remove(String name) {
    Path file = pathOf(name);
    try (Arena arena = Arena.ofConfined()) {
      long unmounted =
          Kernel.call(Syscall.UMOUNT2, arena.allocateFrom(file.toString()).address(), MNT_DETACH);
      // EINVAL: the file exists but nothing is mounted on it, as after a crash between the two
      // steps of create.
      if (unmounted < 0
          && unmounted != -Errno.EINVAL.number()
          && unmounted != -Errno.ENOENT.number()) {
        throw new NetlinkException("unmount " + file, Errno.ofResult(unmounted));
      }
    }
    try {
      return Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException("remove " + file, e);
    }
  }

  public List<String> list() {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException("list " + directory, e);
    }
  }

  public Path pathOf(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "\""
              + name
              + "\" cannot name a network namespace: 1 to 255 characters, no /, not . or ..");
    }
    return directory.resolve(name);
  }

  /**
   * Makes the directory a shared mount, so that a name created or removed here is visible in every
   * mount namespace. {@link #create} does it, too; when several processes may be the first, let one
   * go ahead.
   */
  public void prepare() {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("create " + directory, e);
    }
    if (share() == -Errno.EINVAL.number()) {
      mount(
          directory.toString(),
          directory,
          MS_BIND | MS_REC,
          "make " + directory + " a mount point");
      check(share(), () -> "share the mount " + directory);
    }
  }

  private long share() {
    try (Arena arena = Arena.ofConfined()) {
      long target = arena.allocateFrom(directory.toString()).address();
      return Kernel.call(
          Syscall.MOUNT, arena.allocateFrom("").address(), target, 0, MS_SHARED | MS_REC, 0);
    }
  }

  private static void mount(String source, Path target, long flags, String operation) {
    try (Arena arena = Arena.ofConfined()) {
      long from = arena.allocateFrom(source).address();
      long onto = arena.allocateFrom(target.toString()).address();
      check(Kernel.call(Syscall.MOUNT, from, onto, 0, flags, 0), () -> operation);
    }
  }
}
