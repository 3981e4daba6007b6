package io.ocicat.image.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import io.ocicat.image.Image;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageReference;
import io.ocicat.image.ImageStore;
import io.ocicat.image.PullEvent;
import io.ocicat.image.testing.TarBuilder;
import io.ocicat.image.testing.TestImage;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadTest {
  @TempDir private Path folder;
  private ImageStore store;

  @BeforeEach
  void open() {
    store = TestStores.open(folder);
  }

  private List<Image> load(byte[] archive) throws IOException {
    Path file = Files.write(folder.resolve("archive"), archive);
    return store.load(file, null, PullEvent.Listener.NOBODY);
  }

  @Test
  void dockerArchive() throws IOException {
    TestImage image = TestImage.small("hello");
    image.config().put("User", "1000:5").put("StopSignal", "SIGINT").put("WorkingDir", "/etc");
    image.config().set("Env", Json.array(List.of("A=b")));
    image.config().set("Entrypoint", Json.array(List.of("/bin/sh")));
    image.config().putNull("Cmd").putObject("Volumes").putObject("/data");
    List<Image> loaded = load(image.dockerArchive("busybox:1"));
    assertThat(loaded).hasSize(1);
    Image found = store.find("docker.io/library/busybox:1").orElseThrow();
    assertThat(found).isEqualTo(loaded.getFirst());
    assertThat(found.id()).isEqualTo(image.id());
    assertThat(found.repoTags()).containsExactly("docker.io/library/busybox:1");
    assertThat(found.repoDigests()).isEmpty();
    assertThat(found.size()).isPositive();
    assertThat(found.config().user()).isEqualTo("1000:5");
    assertThat(found.config().env()).containsExactly("A=b");
    assertThat(found.config().entrypoint()).containsExactly("/bin/sh");
    assertThat(found.config().cmd()).isEmpty();
    assertThat(found.config().workingDir()).isEqualTo("/etc");
    assertThat(found.config().volumes()).containsExactly("/data");
    assertThat(found.config().stopSignal()).isEqualTo("SIGINT");
    assertThat(store.rawConfig(found)).isEqualTo(image.configBytes());
  }

  @Test
  void ociArchiveHasDigests() throws IOException {
    TestImage image = TestImage.small("hello");
    Image loaded = load(image.ociArchive("localhost/two:1")).getFirst();
    assertThat(loaded.repoTags()).containsExactly("localhost/two:1");
    assertThat(loaded.repoDigests()).containsExactly("localhost/two@" + image.digest());
    assertThat(store.find("localhost/two@" + image.digest())).contains(loaded);
  }

  @Test
  void ociLayoutFolder() throws IOException {
    TestImage image = TestImage.small("hello");
    Path tar = Files.write(folder.resolve("a.tar"), image.ociArchive("localhost/two:1"));
    Path layout = Files.createDirectory(folder.resolve("layout"));
    Command.of("tar", "-C", layout.toString(), "-xf", tar.toString()).run();
    assertThat(store.load(layout, null, PullEvent.Listener.NOBODY))
        .extracting(Image::id)
        .containsExactly(image.id());
  }

  @Test
  void archiveThatIsCompressed() throws IOException {
    TestImage image = TestImage.small("hello");
    assertThat(load(TestImage.gzip(image.dockerArchive("a:1")))).hasSize(1);
    Path plain = Files.write(folder.resolve("b.tar"), image.dockerArchive("b:1"));
    Command.of("zstd", "-q", plain.toString()).run();
    assertThat(store.load(folder.resolve("b.tar.zst"), null, PullEvent.Listener.NOBODY)).hasSize(1);
    assertThat(store.list()).hasSize(1);
    assertThat(store.list().getFirst().repoTags())
        .containsExactly("docker.io/library/a:1", "docker.io/library/b:1");
  }

  @Test
  void archiveWithoutNameGetsTheGivenOne() throws IOException {
    Path file = Files.write(folder.resolve("a"), TestImage.small("hello").ociArchive("latest"));
    assertThat(store.load(file, null, PullEvent.Listener.NOBODY).getFirst().repoTags()).isEmpty();
    ImageReference name = ImageReference.parse("mine:2");
    assertThat(store.load(file, name, PullEvent.Listener.NOBODY).getFirst().repoTags())
        .containsExactly("docker.io/library/mine:2");
  }

  @Test
  void tagMovesToTheImageLoadedLast() throws IOException {
    Image first = load(TestImage.small("one").dockerArchive("a:1")).getFirst();
    Image second = load(TestImage.small("two").dockerArchive("a:1")).getFirst();
    assertThat(store.find("a:1")).contains(second);
    assertThat(store.find(first.id().toString()).orElseThrow().repoTags()).isEmpty();
  }

  @Test
  void layerThatIsNotWhatTheConfigurationSays() throws IOException {
    TestImage honest = TestImage.small("hello");
    byte[] other = new TarBuilder().file("etc/motd", "evil").build();
    TarBuilder archive = new TarBuilder();
    archive.file("config.json", honest.configBytes()).file("l.tar", other);
    archive.file(
        "manifest.json", "[{\"Config\":\"config.json\",\"Layers\":[\"l.tar\"],\"RepoTags\":null}]");
    assertRefused(archive.build(), "but the image's configuration says");
    assertThat(store.list()).isEmpty();
    assertThat(folder.resolve("store/layers")).isEmptyDirectory();
  }

  @Test
  void archivesThatAreNotImages() throws IOException {
    assertRefused("hello".getBytes(UTF_8), "ends in the middle");
    assertRefused(new byte[0], "neither index.json nor manifest.json");
    assertRefused(new TarBuilder().file("a", "b").build(), "neither index.json nor manifest.json");
    assertRefused(new TarBuilder().file("manifest.json", "{").build(), "not valid JSON");
    assertRefused(new TarBuilder().file("manifest.json", "[1]").build(), "not a list of objects");
    assertRefused(
        new TarBuilder().file("manifest.json", "[{\"Config\":\"c\"}]").build(),
        "the file c is missing");
    assertRefused(
        new TarBuilder().file("manifest.json", "[]").file("./manifest.json", "[]").build(),
        "occurs twice");
    assertThatThrownBy(() -> store.load(folder.resolve("none"), null, PullEvent.Listener.NOBODY))
        .hasMessageContaining("does not exist");
  }

  private void assertRefused(byte[] archive, String why) {
    assertThatThrownBy(() -> load(archive))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining(why);
  }

  @Test
  void fullDiskLeavesNothing() throws IOException {
    Path small = Files.createDirectory(folder.resolve("small"));
    Command.of("mount", "-t", "tmpfs", "-o", "size=600k,mode=700", "tmpfs", small.toString()).run();
    try {
      store = TestStores.open(small);
      byte[] large = new TarBuilder().file("large", new byte[900_000]).build();
      assertRefused(TestImage.of(large).dockerArchive("a:1"), "No space left on device");
      assertThat(store.list()).isEmpty();
      assertThat(small.resolve("store/layers")).isEmptyDirectory();
      assertThat(load(TestImage.small("fits").dockerArchive("b:1"))).hasSize(1);
    } finally {
      Command.of("umount", small.toString()).run();
    }
  }

  @Test
  void blobWithAWrongDigest() throws IOException {
    TestImage image = TestImage.small("hello");
    String archive = new String(image.ociArchive("localhost/a:1"), ISO_8859_1);
    byte[] damaged = archive.replace("\"os\":\"linux\"", "\"os\":\"linuy\"").getBytes(ISO_8859_1);
    assertRefused(damaged, "has the digest");
  }
}
