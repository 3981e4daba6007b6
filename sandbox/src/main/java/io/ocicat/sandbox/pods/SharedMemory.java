package io.ocicat.sandbox.pods;

import static io.ocicat.netlink.linux.NetlinkException.check;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.Syscall;
import io.ocicat.sandbox.files.StateFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The file system that the containers of a pod share as /dev/shm: a small tmpfs for each pod. */
record SharedMemory(Path directory) {
  private static final int MS_NOSUID = 2;
  private static final int MS_NODEV = 4;
  private static final int MS_NOEXEC = 8;
  private static final int MNT_DETACH = 2;
  private static final String OPTIONS = "mode=1777,size=65536k";

  Path pathOf(String id) {
    return directory.resolve(id);
  }

  boolean exists(String id) {
    return Files.exists(pathOf(id));
  }

  void create(String id) {
    Path path = pathOf(id);
    try (Arena arena = Arena.ofConfined()) {
      Files.createDirectories(path);
      long type = arena.allocateFrom("tmpfs").address();
      check(
          Kernel.call(
              Syscall.MOUNT,
              arena.allocateFrom("shm").address(),
              arena.allocateFrom(path.toString()).address(),
              type,
              MS_NOSUID | MS_NODEV | MS_NOEXEC,
              arena.allocateFrom(OPTIONS).address()),
          () -> "mount " + path);
    } catch (IOException e) {
      throw StateFiles.failed("make", path, e);
    }
  }

  /** Succeeds when there is none. Whoever still uses it keeps it. */
  void remove(String id) {
    Path path = pathOf(id);
    if (Files.notExists(path)) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      long name = arena.allocateFrom(path.toString()).address();
      long result = Kernel.call(Syscall.UMOUNT2, name, MNT_DETACH);
      // EINVAL: nothing is mounted there, as after a crash between the two steps of create.
      if (result < 0 && result != -Errno.EINVAL.number() && result != -Errno.ENOENT.number()) {
        throw new NetlinkException("unmount " + path, Errno.ofResult(result));
      }
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw StateFiles.failed("remove", path, e);
    }
  }

  /** The ids that have one. */
  List<String> ids() {
    return StateFiles.names(directory);
  }
}
