package io.ocicat.image.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.image.Image;
import io.ocicat.image.PullEvent;
import io.ocicat.image.Snapshots;
import io.ocicat.image.testing.TarBuilder;
import io.ocicat.image.testing.TestImage;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What containers see of layers, mounted and copied. */
class SnapshotTest {
  @TempDir private Path folder;
  private LocalImageStore store;

  private Snapshots open(boolean overlay) {
    store = LocalImageStore.open(StoreSettings.usual(folder.resolve("store")).overlay(overlay));
    return store.snapshots();
  }

  @BeforeEach
  void openStore() {
    store = TestStores.open(folder);
  }

  @AfterEach
  void removeAll() {
    store.snapshots().list().forEach(store.snapshots()::remove);
  }

  private Image load(byte[]... layers) throws IOException {
    Path file = Files.write(folder.resolve("a"), TestImage.of(layers).dockerArchive("a:1"));
    return store.load(file, null, PullEvent.Listener.NOBODY).getFirst();
  }

  private Image layered() throws IOException {
    return load(
        new TarBuilder()
            .mode(0751)
            .owner(3, 4)
            .directory("./")
            .mode(0700)
            .owner(5, 6)
            .directory("etc/")
            .owner(0, 0)
            .file("etc/gone", "1")
            .file("etc/kept", "1")
            .directory("etc/replaced/")
            .file("etc/replaced/old", "1")
            .directory("opaque/")
            .file("opaque/old", "1")
            .directory("both/")
            .file("both/old", "1")
            .build(),
        new TarBuilder()
            .file("opaque/new", "2")
            .file("opaque/.wh..wh..opq", "")
            .file("etc/.wh.gone", "")
            .file("etc/.wh.never-was", "")
            .file("etc/.wh.replaced", "")
            .directory("etc/replaced/")
            .file("etc/replaced/new", "2")
            .directory("both/")
            .file("both/new", "2")
            .file("both/.wh.new", "")
            .file(".wh..wh.plnk", "")
            .file("etc/deep/er/file", "2")
            .mode(04755)
            .file("suid", "2")
            .link("suid-link", "suid")
            .symlink("link", "/etc/kept")
            .pax("SCHILY.xattr.user.note", "hello")
            .file("noted", "2")
            .pax("mtime", "1234567890.123456789")
            .file("timed", "2")
            .pax("path", "l\u00e4ng/" + "x".repeat(150))
            .file("short", "2")
            .build());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void layersAreStacked(boolean overlay) throws IOException {
    Snapshots snapshots = open(overlay);
    Path root = snapshots.prepare("c1", layered());
    List<String> files = Command.of("find", ".").in(root).run().stdout().lines().sorted().toList();
    assertThat(files)
        .containsExactlyInAnyOrder(
            ".",
            "./etc",
            "./etc/kept",
            "./etc/replaced",
            "./etc/replaced/new",
            "./etc/deep",
            "./etc/deep/er",
            "./etc/deep/er/file",
            "./opaque",
            "./opaque/new",
            "./both",
            "./both/old",
            "./both/new",
            "./suid",
            "./suid-link",
            "./link",
            "./noted",
            "./timed",
            "./l\u00e4ng",
            "./l\u00e4ng/" + "x".repeat(150));
    assertThat(stat(root, ".")).isEqualTo("751 3 4");
    // The second layer does not describe it.
    assertThat(stat(root, "etc")).isEqualTo("700 5 6");
    assertThat(stat(root, "suid")).isEqualTo("4755 0 0");
    assertThat(Files.isSameFile(root.resolve("suid"), root.resolve("suid-link"))).isTrue();
    assertThat(Files.readSymbolicLink(root.resolve("link"))).hasToString("/etc/kept");
    assertThat(Files.getAttribute(root.resolve("noted"), "user:note")).isEqualTo(bytes("hello"));
    assertThat(Command.of("stat", "-c", "%.9Y", "timed").in(root).run().stdout().strip())
        .isEqualTo("1234567890.123456789");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String stat(Path root, String name) {
    return Command.of("stat", "-c", "%a %u %g", name).in(root).run().stdout().strip();
  }

  @Test
  void mountAndCopyShowTheSame() throws IOException {
    Snapshots mounted = open(true);
    Image image = layered();
    List<String> expected = TestStores.tree(mounted.prepare("mounted", image));
    List<String> copied = TestStores.tree(open(false).prepare("copied", image));
    assertThat(copied).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void containersKeepWhatTheyWrote(boolean overlay) throws IOException {
    Snapshots snapshots = open(overlay);
    Image image = layered();
    Path root = snapshots.prepare("c1", image);
    Files.writeString(root.resolve("mine"), "x".repeat(5000));
    assertThat(snapshots.written("c1").bytes()).isGreaterThanOrEqualTo(5000);
    Path other = snapshots.prepare("c2", image);
    assertThat(other.resolve("mine")).doesNotExist();
    if (overlay) {
      // As after a reboot.
      OverlayMount.unmount(root);
    }
    assertThat(snapshots.prepare("c1", image)).isEqualTo(root);
    assertThat(root.resolve("mine")).exists();
    assertThat(snapshots.root("c1")).contains(root);
    assertThat(snapshots.list()).containsExactly("c1", "c2");
    snapshots.remove("c1");
    snapshots.remove("c1");
    assertThat(snapshots.list()).containsExactly("c2");
    assertThat(snapshots.root("c1")).isEmpty();
  }

  @Test
  void snapshotKeepsItsLayersWhenTheImageIsRemoved() throws IOException {
    Snapshots snapshots = open(true);
    Image image = layered();
    Path root = snapshots.prepare("c1", image);
    assertThat(store.remove("a:1")).isTrue();
    assertThat(store.list()).isEmpty();
    assertThat(root.resolve("etc/kept")).exists();
    assertThat(store.collectGarbage().layers()).isZero();
    snapshots.remove("c1");
    assertThat(store.collectGarbage().layers()).isEqualTo(2);
    assertThat(folder.resolve("store/layers")).isEmptyDirectory();
    assertThat(store.usage().bytes()).isZero();
  }

  @Test
  void busySnapshotIsRemovedNevertheless() throws Exception {
    Snapshots snapshots = open(true);
    Path root = snapshots.prepare("c1", layered());
    try (var busy = Command.of("sleep", "60").in(root).start()) {
      snapshots.remove("c1");
      assertThat(busy).isNotNull();
    }
    assertThat(snapshots.list()).isEmpty();
  }

  @Test
  void aMountInsideIsNotEmptied() throws IOException {
    Snapshots snapshots = open(false);
    Path root = snapshots.prepare("c1", layered());
    Path precious = Files.createDirectory(folder.resolve("precious"));
    Files.writeString(precious.resolve("file"), "the host's");
    Path inside = Files.createDirectory(root.resolve("inside"));
    Command.of("mount", "--bind", precious.toString(), inside.toString()).run();
    try {
      assertThatThrownBy(() -> snapshots.remove("c1")).hasMessageContaining("mounted there");
      assertThat(precious.resolve("file")).exists();
    } finally {
      Command.of("umount", inside.toString()).run();
    }
    snapshots.remove("c1");
    assertThat(snapshots.list()).isEmpty();
  }

  @Test
  void recordThatAPowerFailureEmptied() throws IOException {
    Snapshots snapshots = open(true);
    Image image = layered();
    Path root = snapshots.prepare("c1", image);
    Path record = root.resolveSibling("snapshot.json");
    Files.write(record, new byte[0]);
    assertThatThrownBy(store::collectGarbage).hasMessageContaining("snapshot.json");
    OverlayMount.unmount(root);
    assertThat(store.collectGarbage().layers()).isZero();
    assertThat(snapshots.prepare("c1", image).resolve("etc/kept")).exists();
  }

  @Test
  void hundredsOfLayers() throws IOException {
    Snapshots snapshots = open(true);
    byte[][] layers = new byte[128][];
    for (int i = 0; i < layers.length; i++) {
      layers[i] = new TarBuilder().file("f" + i, "").build();
    }
    Path root = snapshots.prepare("c1", load(layers));
    try (var files = Files.list(root)) {
      assertThat(files).hasSize(128);
    }
  }

  @Test
  void imageWithoutLayers() throws IOException {
    Path root = open(true).prepare("c1", load());
    assertThat(root).isEmptyDirectory();
    assertThat(stat(root, ".")).isEqualTo("755 0 0");
  }

  @Test
  void deepTreesAreRemoved() throws IOException {
    Snapshots snapshots = open(true);
    Path root = snapshots.prepare("c1", layered());
    Command.of(
            "sh",
            "-c",
            "i=0; while [ $i -lt 450 ]; do mkdir aaaaaaaaaaaaaaaaaaaa && cd aaaaaaaaaaaaaaaaaaaa; i=$((i+1)); done; echo x >f")
        .in(root)
        .run();
    snapshots.remove("c1");
    assertThat(snapshots.list()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "..", ".", "a/b", "-a"})
  void namesThatAreNot(String id) {
    Snapshots snapshots = open(true);
    assertThatThrownBy(() -> snapshots.remove(id)).hasMessageContaining("cannot name a snapshot");
  }
}
