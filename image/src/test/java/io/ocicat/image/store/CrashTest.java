package io.ocicat.image.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.CrashPoints;
import io.ocicat.image.Image;
import io.ocicat.image.ImageReference;
import io.ocicat.image.PullEvent;
import io.ocicat.image.RegistryCredentials;
import io.ocicat.image.registry.RegistrySettings;
import io.ocicat.image.testing.TarBuilder;
import io.ocicat.image.testing.TestImage;
import io.ocicat.image.testing.TestRegistry;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a store looks like after the process was killed, or the power failed, at each of its steps:
 * at every crash point a copy is made of what would be left, and then each copy is used.
 *
 * <p>After a kill that is all that was written: the files. After a power failure it is what the
 * file system had sent to its disk: the store is on an ext4 in a file, and that file is copied. The
 * mount options turn off what ext4 does to forgive programs that forget to sync.
 */
class CrashTest {
  private static final TestImage OLD = image("old");
  private static final TestImage NEW = image("new");

  @TempDir private Path folder;
  private final List<String> points = Collections.synchronizedList(new ArrayList<>());

  private static TestImage image(String content) {
    return TestImage.of(
        new TarBuilder().directory("etc/").file("etc/common", "c".repeat(20_000)).build(),
        new TarBuilder()
            .directory("etc/")
            .file("etc/motd", content.repeat(5_000))
            .file("etc/.wh.common", "")
            .build());
  }

  /** Opens a store in which {@code CrashPoints} may be heard. */
  private LocalImageStore open(Path root, CrashPoints listener) {
    return LocalImageStore.open(
        StoreSettings.usual(root)
            .registry(RegistrySettings.USUAL.hosts(folder.resolve("hosts")))
            .points(listener));
  }

  private Image load(LocalImageStore store, TestImage image) throws IOException {
    Path archive = Files.write(folder.resolve("archive"), image.dockerArchive("a:1"));
    return store.load(archive, null, PullEvent.Listener.NOBODY).getFirst();
  }

  private interface Work {
    void on(LocalImageStore store) throws IOException;
  }

  /** Copies files at every point. */
  private List<Path> killedAtEveryPoint(Path root, Work work) throws IOException {
    List<Path> copies = new ArrayList<>();
    LocalImageStore store =
        open(
            root,
            point -> {
              points.add(point);
              Path copy = folder.resolve("copy-" + copies.size());
              Command.of("cp", "-a", root.toString(), copy.toString()).run();
              copies.add(copy);
            });
    work.on(store);
    return copies;
  }

  /**
   * Everything that is listed is complete, and the store can be used as if nothing had happened.
   */
  private void assertUsable(Path root, String when, Consumer<LocalImageStore> more) {
    LocalImageStore store = open(root, CrashPoints.IGNORED);
    assertThat(store.verify()).as(when).isEmpty();
    more.accept(store);
    store.list().forEach(image -> store.remove(image.id().toString()));
    store.collectGarbage();
    assertThat(store.list()).as(when).isEmpty();
    assertThat(root.resolve("layers")).as(when).isEmptyDirectory();
    assertThat(root.resolve("blobs/sha256")).as(when).isEmptyDirectory();
  }

  private void loadAgain(LocalImageStore store) {
    try {
      assertThat(load(store, NEW).id()).isEqualTo(NEW.id());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(store.verify()).isEmpty();
  }

  @Test
  void killedWhileLoadingOverAnOlderImage() throws IOException {
    Path root = folder.resolve("store");
    load(open(root, CrashPoints.IGNORED), OLD);
    List<Path> copies = killedAtEveryPoint(root, store -> load(store, NEW));
    assertThat(points)
        .contains("layer begun", "layer unpacked", "layers synced", "layer renamed")
        .contains("document written", "records changed", "records written");
    for (int i = 0; i < copies.size(); i++) {
      boolean recorded = points.indexOf("records written") <= i;
      assertUsable(
          copies.get(i),
          "killed at " + points.get(i),
          store -> {
            // The name is either the old image's or the new one's, and both are complete.
            assertThat(store.find("a:1").orElseThrow().id())
                .isEqualTo(recorded ? NEW.id() : OLD.id());
            loadAgain(store);
          });
    }
  }

  @Test
  void killedWhilePulling() throws IOException {
    try (TestRegistry registry = new TestRegistry()) {
      String name = registry.push("test:1", NEW);
      ImageReference reference = ImageReference.parse(name);
      Path root = folder.resolve("store");
      List<Path> copies =
          killedAtEveryPoint(
              root,
              store -> store.pull(reference, RegistryCredentials.NONE, PullEvent.Listener.NOBODY));
      assertThat(points).contains("layer downloaded", "blob written", "blob renamed");
      for (int i = 0; i < copies.size(); i++) {
        assertUsable(
            copies.get(i),
            "killed at " + points.get(i),
            store ->
                assertThat(
                        store
                            .pull(reference, RegistryCredentials.NONE, PullEvent.Listener.NOBODY)
                            .id())
                    .isEqualTo(NEW.id()));
      }
    }
  }

  @Test
  void killedWhileRemoving() throws IOException {
    Path root = folder.resolve("store");
    load(open(root, CrashPoints.IGNORED), OLD);
    List<Path> copies = killedAtEveryPoint(root, store -> store.remove("a:1"));
    assertThat(points)
        .contains("records changed", "records written", "layer hidden", "layer removed")
        .contains("blob removed");
    for (int i = 0; i < copies.size(); i++) {
      assertUsable(copies.get(i), "killed at " + points.get(i), this::loadAgain);
    }
  }

  @Test
  void powerFailsWhileLoading() throws IOException {
    Path disk = folder.resolve("disk");
    Path mounted = Files.createDirectory(folder.resolve("mounted"));
    Command.of("truncate", "-s", "24M", disk.toString()).run();
    Command.of("mkfs.ext4", "-q", disk.toString()).run();
    mount(disk, mounted);
    List<Path> copies = new ArrayList<>();
    try {
      Path root = mounted.resolve("store");
      load(open(root, CrashPoints.IGNORED), OLD);
      Command.of("sync", "-f", mounted.toString()).run();
      load(
          open(
              root,
              point -> {
                points.add(point);
                copies.add(folder.resolve("disk-" + copies.size()));
                Command.of("cp", "--sparse=always", disk.toString(), copies.getLast() + "").run();
              }),
          NEW);
    } finally {
      Command.of("umount", mounted.toString()).run();
    }
    assertThat(points).contains("layers synced", "records written");
    for (int i = 0; i < copies.size(); i++) {
      boolean recorded = points.indexOf("records written") <= i;
      mount(copies.get(i), mounted);
      try {
        assertUsable(
            mounted.resolve("store"),
            "power failed at " + points.get(i),
            store -> {
              assertThat(store.find("a:1").orElseThrow().id())
                  .isEqualTo(recorded ? NEW.id() : OLD.id());
              loadAgain(store);
            });
      } finally {
        Command.of("umount", mounted.toString()).run();
      }
      Files.delete(copies.get(i));
    }
  }

  private static void mount(Path disk, Path target) {
    Command.of("mount", "-o", "loop,noauto_da_alloc,commit=600", disk.toString(), target.toString())
        .run();
  }
}
