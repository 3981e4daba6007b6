package io.ocicat.image.store;

import static io.ocicat.netlink.linux.NetlinkException.check;

import io.ocicat.image.files.Directory;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.Syscall;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Mounts layers with overlayfs. The options of mount(2) are a page of memory. Where the paths of
 * all layers do not fit, or contain what overlayfs takes for a separator, each layer is named by a
 * descriptor of this process, which is as short for the hundredth layer as for the first.
 */
final class OverlayMount {
  private static final int LONGEST_OPTIONS = 4095;
  private static final int MNT_DETACH = 2;
  private static final int UMOUNT_NOFOLLOW = 8;
  private static final int BUSY_ATTEMPTS = 5;
  private static final long BUSY_PAUSE_NANOS = 20_000_000;

  private OverlayMount() {}

  /**
   * Mounts.
   *
   * @param layers the uppermost first
   */
  static void mount(List<Path> layers, Path upper, Path work, Path target) {
    String options = options(layers, upper, work, Path::toString);
    if (options.length() <= LONGEST_OPTIONS && isPlain(layers, upper)) {
      mount(options, target);
      return;
    }
    List<Directory> open = new ArrayList<>();
    try {
      mount(
          options(
              layers,
              upper,
              work,
              path -> {
                open.add(Directory.open(path));
                return open.getLast().descriptorPath();
              }),
          target);
    } finally {
      open.forEach(Directory::close);
    }
  }

  private static boolean isPlain(List<Path> layers, Path upper) {
    return (upper + "" + layers).matches("[A-Za-z0-9/._, \\[\\]-]*")
        && upper.toString().matches("[A-Za-z0-9/._-]*");
  }

  /**
   * Redirects and metadata-only copies are not followed: layers have none, and images must not
   * bring any.
   */
  private static String options(
      List<Path> layers, Path upper, Path work, Function<Path, String> name) {
    return "lowerdir=%s,upperdir=%s,workdir=%s,index=off,redirect_dir=nofollow,metacopy=off"
        .formatted(
            String.join(":", layers.stream().map(name).toList()),
            name.apply(upper),
            name.apply(work));
  }

  private static void mount(String options, Path target) {
    try (Arena arena = Arena.ofConfined()) {
      check(
          Kernel.call(
              Syscall.MOUNT,
              arena.allocateFrom("overlay").address(),
              arena.allocateFrom(target.toString()).address(),
              arena.allocateFrom("overlay").address(),
              0,
              arena.allocateFrom(options).address()),
          () -> "mount overlay on " + target);
    }
  }

  /** Whether something is mounted there, as /proc/self/mountinfo says. */
  static boolean isMounted(Path target) {
    try {
      String wanted = escaped(target.toString());
      for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
        if (line.split(" ", 6)[4].equals(wanted)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw StoreFiles.failed("read", Path.of("/proc/self/mountinfo"), e);
    }
  }

  /** As the kernel writes mount points. */
  private static String escaped(String path) {
    return path.replace("\\", "\\134")
        .replace(" ", "\\040")
        .replace("\t", "\\011")
        .replace("\n", "\\012");
  }

  /**
   * Unmounts all that is mounted there; what is busy for long is detached and ends with its user.
   */
  static void unmount(Path target) {
    for (int attempt = 1; isMounted(target); attempt++) {
      long result = unmount(target, UMOUNT_NOFOLLOW);
      if (result == -Errno.EBUSY.number() && attempt < BUSY_ATTEMPTS) {
        LockSupport.parkNanos(BUSY_PAUSE_NANOS);
      } else if (result < 0) {
        check(unmount(target, UMOUNT_NOFOLLOW | MNT_DETACH), () -> "unmount " + target);
      }
    }
  }

  private static long unmount(Path target, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return Kernel.call(Syscall.UMOUNT2, arena.allocateFrom(target.toString()).address(), flags);
    }
  }
}
