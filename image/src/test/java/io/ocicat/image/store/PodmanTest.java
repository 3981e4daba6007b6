package io.ocicat.image.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.image.Image;
import io.ocicat.image.PullEvent;
import io.ocicat.testkit.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An image that podman made is unpacked as podman unpacks it. */
class PodmanTest {
  @TempDir private Path folder;

  private String podman(String... arguments) {
    List<String> argv =
        new ArrayList<>(
            List.of(
                "podman",
                "--root",
                folder.resolve("podman").toString(),
                "--runroot",
                folder.resolve("run").toString(),
                "--storage-driver",
                "overlay"));
    argv.addAll(List.of(arguments));
    return Command.of(argv).run().stdout().strip();
  }

  @AfterEach
  void unmount() {
    podman("image", "umount", "--all");
    Command.of("umount", folder.resolve("podman/overlay").toString()).attempt();
  }

  @Test
  void whatWeLoadEqualsWhatPodmanUnpacks() throws Exception {
    Path rootfs = Files.createDirectory(folder.resolve("rootfs"));
    shell(
        rootfs,
        "mkdir -p bin etc/d gone deep/er dev && cp /bin/busybox bin/ && ln -s busybox bin/sh"
            + " && ln bin/busybox bin/ls && echo a >etc/a && echo x >etc/d/x && echo y >gone/y"
            + " && chmod 4750 bin/ls && chown 12:34 etc && echo z >deep/er/z && mkfifo dev/pipe"
            + " && tar -cf ../root.tar .");
    podman("import", folder.resolve("root.tar").toString(), "base:1");
    String container = podman("create", "base:1", "/bin/sh");
    shell(
        Path.of(podman("mount", container)),
        "rm etc/a && rm -r etc/d && mkdir etc/d && echo z >etc/d/z && rm -r gone"
            + " && chmod 1777 deep && echo new >deep/new && rm bin/sh && mkdir bin/sh"
            + " && ln deep/new deep/linked && ln -s /nowhere deep/link");
    podman("umount", container);
    podman("commit", "--quiet", container, "two:1");
    List<String> expected = TestStores.tree(Path.of(podman("image", "mount", "two:1")));

    LocalImageStore store = TestStores.open(folder);
    for (String format : List.of("docker-archive", "oci-archive")) {
      Path archive = folder.resolve(format);
      podman("save", "--quiet", "--format", format, "-o", archive.toString(), "two:1");
      Image image = store.load(archive, null, PullEvent.Listener.NOBODY).getFirst();
      assertThat(image.repoTags()).containsExactly("localhost/two:1");
      Path root = store.snapshots().prepare(format, image);
      try {
        // Podman shows the root of a mounted image with permissions of its own.
        assertThat(withoutRoot(TestStores.tree(root))).isEqualTo(withoutRoot(expected));
      } finally {
        store.snapshots().remove(format);
      }
      assertThat(store.verify()).isEmpty();
    }
  }

  private static List<String> withoutRoot(List<String> tree) {
    return tree.subList(1, tree.size());
  }

  private static void shell(Path folder, String script) {
    Command.of("sh", "-ec", script).in(folder).run();
  }
}
