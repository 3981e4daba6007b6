package io.ocicat.image.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.image.Image;
import io.ocicat.image.ImageReference;
import io.ocicat.image.PullEvent;
import io.ocicat.image.testing.TarBuilder;
import io.ocicat.image.testing.TestImage;
import io.ocicat.netlink.linux.FileLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalImageStoreTest {
  @TempDir private Path folder;
  private LocalImageStore store;

  @BeforeEach
  void open() {
    store = TestStores.open(folder);
  }

  private Image load(TestImage image, String name) throws IOException {
    Path file = Files.write(folder.resolve("a-" + name.hashCode()), image.dockerArchive(name));
    return store.load(file, null, PullEvent.Listener.NOBODY).getFirst();
  }

  @Test
  void findsByNameIdAndBeginningOfId() throws IOException {
    Image image = load(TestImage.small("one"), "a:1");
    load(TestImage.small("two"), "b:1");
    String hex = image.id().hex();
    for (String name :
        List.of("a:1", "docker.io/library/a:1", hex, "sha256:" + hex, hex.substring(0, 13))) {
      assertThat(store.find(name)).as(name).contains(image);
    }
    assertThat(store.find("a:2")).isEmpty();
    assertThat(store.find("sha256:" + "0".repeat(64))).isEmpty();
    assertThat(store.find("a")).isEmpty();
    assertThatThrownBy(() -> store.find("NOT A NAME")).hasMessageContaining("is not an image's");
  }

  @Test
  void removeTakesAllNamesAndUntagOne() throws IOException {
    Image image = load(TestImage.small("one"), "a:1");
    load(TestImage.small("one"), "a:2");
    load(TestImage.small("one"), "a:3");
    assertThat(store.untag(ImageReference.parse("a:1"))).isTrue();
    assertThat(store.untag(ImageReference.parse("a:1"))).isFalse();
    assertThat(store.list().getFirst().repoTags()).hasSize(2);
    assertThat(store.remove("a:2")).isTrue();
    assertThat(store.list()).isEmpty();
    assertThat(store.remove(image.id().toString())).isFalse();
  }

  @Test
  void layersAreSharedAndCollectedWithTheLastUser() throws IOException {
    byte[] common = new TarBuilder().file("common", "x".repeat(10_000)).build();
    load(TestImage.of(common, new TarBuilder().file("a", "").build()), "a:1");
    long one = store.usage().bytes();
    load(TestImage.of(common, new TarBuilder().file("b", "").build()), "b:1");
    assertThat(store.layers().list()).hasSize(3);
    assertThat(store.usage().bytes()).isLessThan(2 * one);
    store.remove("a:1");
    assertThat(store.layers().list()).hasSize(2);
    assertThat(store.verify()).isEmpty();
    store.remove("b:1");
    assertThat(store.layers().list()).isEmpty();
  }

  @Test
  void nothingIsCollectedWhileSomebodyAdds() throws IOException {
    load(TestImage.small("one"), "a:1");
    try (FileLock _ = store.files().lockForAdding()) {
      assertThat(store.remove("a:1")).isTrue();
      assertThat(store.list()).isEmpty();
      assertThat(store.layers().list()).hasSize(1);
    }
    assertThat(store.collectGarbage().layers()).isEqualTo(1);
  }

  @Test
  void anotherProcessIsSeenAtOnce() throws IOException {
    LocalImageStore other = TestStores.open(folder);
    assertThat(other.list()).isEmpty();
    Image image = load(TestImage.small("one"), "a:1");
    assertThat(other.list()).containsExactly(image);
    other.remove("a:1");
    assertThat(store.list()).isEmpty();
  }

  @Test
  void imageWhoseLayerIsMissingIsNotShownAndLoadedAgain() throws IOException {
    Image image = load(TestImage.small("one"), "a:1");
    store.layers().discard(image.chainIds().getFirst());
    LocalImageStore fresh = TestStores.open(folder);
    assertThat(fresh.list()).isEmpty();
    store = fresh;
    assertThat(load(TestImage.small("one"), "a:1")).isEqualTo(image);
    assertThat(fresh.verify()).isEmpty();
  }

  @Test
  void manyLoadsAtATime() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<Image>> loads =
          List.of("a:1", "a:2", "b:1", "c:1").stream()
              .map(name -> threads.submit(() -> load(TestImage.small(name), name)))
              .toList();
      for (Future<Image> each : loads) {
        each.get();
      }
    }
    assertThat(store.list()).hasSize(4);
    assertThat(store.verify()).isEmpty();
  }

  @Test
  void onlyTheOwnerMayLook() throws IOException {
    assertThat(Files.getPosixFilePermissions(folder.resolve("store/layers"))).hasSize(3);
  }
}
