package io.ocicat.image.store;

import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.Syscall;
import java.nio.file.Path;

/**
 * A process that prepares or removes a snapshot, and dies by SIGKILL at a given crash point: {@code
 * <store> prepare|remove <container> <point>}.
 */
final class KillMain {
  private static final int SIGKILL = 9;

  private KillMain() {}

  public static void main(String[] args) {
    LocalImageStore store =
        LocalImageStore.open(
            StoreSettings.usual(Path.of(args[0]))
                .points(
                    point -> {
                      if (point.equals(args[3])) {
                        Kernel.call(Syscall.KILL, ProcessHandle.current().pid(), SIGKILL);
                      }
                    }));
    if (args[1].equals("prepare")) {
      store.snapshots().prepare(args[2], store.list().getFirst());
    } else {
      store.snapshots().remove(args[2]);
    }
  }
}
