package io.ocicat.image.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.image.Digest;
import io.ocicat.image.Image;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.ImageReference;
import io.ocicat.image.Platform;
import io.ocicat.image.PullEvent;
import io.ocicat.image.RegistryCredentials;
import io.ocicat.image.registry.RegistrySettings;
import io.ocicat.image.testing.TarBuilder;
import io.ocicat.image.testing.TestImage;
import io.ocicat.image.testing.TestRegistry;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pulls from registries that behave, and from others. */
class PullTest {
  @TempDir private Path folder;
  private TestRegistry registry;
  private LocalImageStore store;
  private final List<PullEvent> events = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void open() {
    registry = new TestRegistry();
    store = open(Duration.ofSeconds(20));
  }

  private LocalImageStore open(Duration noProgress) {
    return LocalImageStore.open(
        StoreSettings.usual(folder.resolve("store"))
            .registry(
                RegistrySettings.USUAL
                    .hosts(folder.resolve("hosts"))
                    .noProgress(noProgress)
                    .delays(Duration.ofMillis(1), Duration.ofMillis(4))));
  }

  @AfterEach
  void close() {
    registry.close();
  }

  private Image pull(String name) {
    return pull(name, RegistryCredentials.NONE);
  }

  private Image pull(String name, RegistryCredentials credentials) {
    return store.pull(ImageReference.parse(name), credentials, events::add);
  }

  private void assertFails(String name, Reason reason, String why) {
    assertThatThrownBy(() -> pull(name))
        .isInstanceOfSatisfying(
            ImageException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(reason);
              assertThat(e).hasMessageContaining(why);
            });
    assertThat(store.list()).isEmpty();
  }

  /** Of content that does not compress. */
  private static TestImage large() {
    byte[] noise = new byte[600_000];
    new Random(1).nextBytes(noise);
    return TestImage.of(
        new TarBuilder().file("noise", noise).build(), new TarBuilder().file("b", "2").build());
  }

  @Test
  void byTag() throws IOException {
    TestImage image = TestImage.small("hello");
    String name = registry.push("a/test:1", image);
    Image pulled = pull(name);
    assertThat(pulled.id()).isEqualTo(image.id());
    assertThat(pulled.repoTags()).containsExactly(name);
    assertThat(pulled.repoDigests())
        .containsExactly(registry.address() + "/a/test@" + image.digest());
    assertThat(store.find(name)).contains(pulled);
    assertThat(
            Files.readString(store.layers().diff(pulled.chainIds().getFirst()).resolve("etc/motd")))
        .isEqualTo("hello");
    assertThat(events).last().isEqualTo(new PullEvent.Done(pulled));
    // Layers are kept unpacked only.
    assertThat(store.blobs().list()).containsExactlyInAnyOrder(image.id(), image.digest());
    int before = registry.requests().size();
    assertThat(pull(name)).isEqualTo(pulled);
    assertThat(registry.requests()).hasSize(before + 1);
  }

  @Test
  void byDigest() {
    TestImage image = TestImage.small("hello");
    registry.push("test:1", image);
    Image pulled = pull(registry.address() + "/test@" + image.digest());
    assertThat(pulled.repoTags()).isEmpty();
    assertThat(pulled.repoDigests()).hasSize(1);
  }

  @Test
  void fromAnIndex() {
    TestImage image = TestImage.small("hello");
    String name = registry.push("test:1", image, image.index());
    Image pulled = pull(name);
    assertThat(pulled.id()).isEqualTo(image.id());
    assertThat(pulled.repoDigests())
        .containsExactly(registry.address() + "/test@" + Digest.of(image.index()));
  }

  @Test
  void indexWithoutThisMachine() {
    TestImage image = TestImage.small("x").platform(new Platform("linux", "riscv64", ""));
    String name = registry.push("test:1", image, image.index());
    assertFails(name, Reason.NOT_FOUND, "only for: linux/s390x, linux/riscv64");
  }

  @Test
  void layersOfZstdAndOfSeveralGzipMembers() throws IOException {
    byte[] tar = new TarBuilder().file("one", "1".repeat(3000)).build();
    byte[] other = new TarBuilder().file("two", "2".repeat(3000)).build();
    Path plain = Files.write(folder.resolve("layer"), tar);
    Command.of("zstd", "-q", plain.toString()).run();
    byte[] zstd = Files.readAllBytes(folder.resolve("layer.zst"));
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    members.writeBytes(TestImage.gzip(Arrays.copyOfRange(other, 0, 700)));
    members.writeBytes(TestImage.gzip(Arrays.copyOfRange(other, 700, other.length)));
    TestImage image = new TestImage().layer(tar, zstd).layer(other, members.toByteArray());
    Image pulled = pull(registry.push("test:1", image));
    assertThat(store.layers().diff(pulled.chainIds().get(0)).resolve("one")).hasSize(3000);
    assertThat(store.layers().diff(pulled.chainIds().get(1)).resolve("two")).hasSize(3000);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void withPassword(boolean byToken) {
    registry.login("joe", "secret", byToken);
    String name = registry.push("a:1", TestImage.small("hello"));
    assertFails(name, Reason.UNAUTHORIZED, "credentials");
    assertThatThrownBy(() -> pull(name, RegistryCredentials.basic("joe", "wrong")))
        .hasMessageContaining("credentials")
        .hasMessageNotContaining("wrong");
    assertThat(pull(name, RegistryCredentials.basic("joe", "secret"))).isNotNull();
  }

  @Test
  void withIdentityToken() {
    registry.login("joe", "secret", true);
    String name = registry.push("a:1", TestImage.small("hello"));
    assertThat(pull(name, new RegistryCredentials("", "", "identity", "", ""))).isNotNull();
  }

  @Test
  void credentialsForAnotherServerAreNotSent() {
    registry.login("joe", "secret", false);
    String name = registry.push("a:1", TestImage.small("hello"));
    RegistryCredentials other = RegistryCredentials.basic("joe", "secret").onlyFor("other.example");
    assertThatThrownBy(() -> pull(name, other)).hasMessageContaining("denies access");
    assertThat(pull(name, other.onlyFor("http://" + registry.address() + "/v1/"))).isNotNull();
  }

  @Test
  void cutConnectionsAreResumed() {
    TestImage image = large();
    String name = registry.push("test:1", image);
    registry.fault(image.layers().getFirst().toString(), 4, TestRegistry.cutAfter(100_000));
    Image pulled = pull(name);
    assertThat(pulled.id()).isEqualTo(image.id());
    assertThat(registry.requests())
        .filteredOn(request -> request.contains("bytes="))
        .hasSizeGreaterThanOrEqualTo(4);
    assertThat(events).hasAtLeastOneElementOfType(PullEvent.Retry.class);
  }

  @Test
  void interruptedPullIsResumedByTheNext() {
    TestImage image = large();
    String name = registry.push("test:1", image);
    String layer = image.layers().getFirst().toString();
    registry.fault(layer, 1, TestRegistry.cutAfter(300_000));
    registry.fault(layer, 5, TestRegistry.status(503));
    assertFails(name, Reason.UNAVAILABLE, "status 503");
    assertThat(pull(name).id()).isEqualTo(image.id());
    assertThat(registry.requests()).last().asString().contains("bytes=");
  }

  @Test
  void serverWithoutRanges() {
    TestImage image = large();
    String name = registry.push("test:1", image);
    String layer = image.layers().getFirst().toString();
    registry.fault(layer, 1, TestRegistry.cutAfter(100_000));
    registry.fault(layer, 1, TestRegistry.lie(image.blob(image.layers().getFirst())));
    assertThat(pull(name).id()).isEqualTo(image.id());
  }

  @Test
  void serverThatRefusesRanges() {
    TestImage image = large();
    String name = registry.push("test:1", image);
    String layer = image.layers().getFirst().toString();
    registry.fault(layer, 1, TestRegistry.cutAfter(100_000));
    registry.fault(layer, 1, TestRegistry.status(416));
    assertThat(pull(name).id()).isEqualTo(image.id());
  }

  @Test
  void busyServerIsAskedAgain() {
    String name = registry.push("test:1", TestImage.small("hello"));
    registry.fault("manifests", 2, TestRegistry.status(503));
    registry.fault("blobs", 2, TestRegistry.status(429));
    assertThat(pull(name)).isNotNull();
  }

  @Test
  void wrongDigests() {
    TestImage image = TestImage.small("hello");
    byte[] evil = TestImage.small("hellp").blob(TestImage.small("hellp").layers().getFirst());
    String name = registry.push("test:1", image);
    registry.fault(image.layers().getFirst().toString(), 9, TestRegistry.lie(evil));
    assertFails(name, Reason.REFUSED, "sends");
    assertThat(folder.resolve("store/layers")).isEmptyDirectory();
  }

  @Test
  void manifestOfAnotherDigest() {
    TestImage image = TestImage.small("hello");
    registry.push("test:1", image);
    registry.fault("manifests", 99, TestRegistry.lie(TestImage.small("evil").manifest()));
    assertFails(
        registry.address() + "/test@" + image.digest(), Reason.UNAVAILABLE, "content of digest");
  }

  @Test
  void configurationOfAnotherDigest() {
    TestImage image = TestImage.small("hello");
    String name = registry.push("test:1", image);
    registry.fault(image.id().toString(), 99, TestRegistry.lie("{}".getBytes(UTF_8)));
    assertFails(name, Reason.UNAVAILABLE, "content of digest");
  }

  @Test
  void serverThatSendsMoreThanItSaid() {
    TestImage image = TestImage.small("hello");
    String name = registry.push("test:1", image);
    registry.fault(image.layers().getFirst().toString(), 99, TestRegistry.lie(new byte[1 << 20]));
    assertFails(name, Reason.REFUSED, "sends more than");
  }

  @Test
  void endlessManifest() {
    String name = registry.push("test:1", TestImage.small("hello"));
    registry.fault("manifests", 99, TestRegistry.lie(new byte[5 << 20]));
    assertFails(name, Reason.REFUSED, "more than 4194304 bytes");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{", "[]", "{}", "{\"schemaVersion\":1}", "null", "{\"config\":3}"})
  void manifestsThatAreNot(String text) {
    String name = registry.push("test:1", TestImage.small("hello"));
    registry.fault("manifests", 99, TestRegistry.lie(text.getBytes(UTF_8)));
    assertThatThrownBy(() -> pull(name)).isInstanceOf(ImageException.class);
    assertThat(store.list()).isEmpty();
  }

  @Test
  void stalledTransferIsCutAndResumed() {
    store = open(Duration.ofMillis(400));
    TestImage image = large();
    String name = registry.push("test:1", image);
    registry.fault(image.layers().getFirst().toString(), 1, TestRegistry.stall(100_000));
    assertThat(pull(name).id()).isEqualTo(image.id());
    assertThat(events).anyMatch(event -> event.toString().contains("KiB came within"));
  }

  @Test
  void registryThatDoesNotExist() {
    registry.close();
    assertFails(registry.address() + "/a:1", Reason.UNAVAILABLE, "cannot be reached");
  }

  @Test
  void unknownTag() {
    registry.push("test:1", TestImage.small("hello"));
    assertFails(registry.address() + "/test:2", Reason.NOT_FOUND, "does not have manifests/2");
  }

  @Test
  void redirectsDoNotCarryCredentials() {
    TestImage image = TestImage.small("hello");
    try (TestRegistry other = new TestRegistry()) {
      other.push("test:1", image);
      registry.login("joe", "secret", false);
      String name = registry.push("test:1", image);
      String layer = image.layers().getFirst().toString();
      registry.fault(
          layer,
          1,
          TestRegistry.redirect("http://%s/v2/test/blobs/%s".formatted(other.address(), layer)));
      assertThat(pull(name, RegistryCredentials.basic("joe", "secret"))).isNotNull();
      assertThat(other.requests()).hasSize(1).noneMatch(request -> request.contains("Basic"));
    }
  }

  @Test
  void redirectsInACircle() {
    String name = registry.push("test:1", TestImage.small("hello"));
    registry.fault(
        "manifests", 99, TestRegistry.redirect("http://" + registry.address() + "/manifests/x"));
    assertFails(name, Reason.FAILED, "redirects more than");
  }

  @Test
  void mirrorsAreAskedFirst() throws IOException {
    TestImage image = TestImage.small("hello");
    registry.push("library/test:1", image);
    hosts(
        "docker.io",
        """
        server = "http://127.0.0.1:1"
        [host."http://127.0.0.1:2"]
          capabilities = ["pull", "resolve"]
        [host."http://%s"]
          capabilities = ["pull", "resolve"]
          header = { x-test = ["1"] }
        """
            .formatted(registry.address()));
    Image pulled = pull("test:1", RegistryCredentials.basic("joe", "secret"));
    assertThat(pulled.repoTags()).containsExactly("docker.io/library/test:1");
    assertThat(registry.requests())
        .allMatch(request -> request.contains("?ns=docker.io"))
        .noneMatch(request -> request.contains("Basic"));
  }

  @Test
  void mirrorThatLacksTheImageLeadsToTheRegistry() throws IOException {
    TestImage image = TestImage.small("hello");
    try (TestRegistry mirror = new TestRegistry()) {
      mirror.push("other:1", image);
      String name = registry.push("test:1", image);
      hosts(registry.address(), "[host.\"http://%s\"]\n".formatted(mirror.address()));
      assertThat(pull(name)).isNotNull();
      assertThat(mirror.requests()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server = ",
        "server = 3",
        "server = \"ftp://x\"",
        "[host.\"http://user:pw@x\"]",
        "[host.\"https://x\"]\nclient = \"/a\"",
        "[host.\"https://x\"]\nskip_verify = \"yes\""
      })
  void hostsFilesThatAreWrong(String text) throws IOException {
    hosts(registry.address(), text);
    String name = registry.push("test:1", TestImage.small("hello"));
    assertFails(name, Reason.INVALID, "hosts.toml: ");
  }

  private void hosts(String registryName, String text) throws IOException {
    Path file = folder.resolve("hosts").resolve(registryName).resolve("hosts.toml");
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  @Test
  void manyPullsOfOneImageShareTheDownload() throws Exception {
    TestImage image = large();
    String name = registry.push("test:1", image);
    try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
      List<Future<Image>> pulls = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        pulls.add(threads.submit(() -> pull(name)));
      }
      for (Future<Image> each : pulls) {
        assertThat(each.get().id()).isEqualTo(image.id());
      }
    }
    assertThat(registry.requests())
        .filteredOn(request -> request.contains(image.layers().getFirst().toString()))
        .hasSize(1);
    assertThat(store.verify()).isEmpty();
  }

  @Test
  void cancelledPullStopsOnlyItsOwnWaiting() throws Exception {
    TestImage image = large();
    String name = registry.push("test:1", image);
    registry.fault(image.layers().getFirst().toString(), 1, TestRegistry.stall(100_000));
    Thread first =
        Thread.ofPlatform()
            .start(
                () ->
                    assertThatThrownBy(() -> pull(name))
                        .isInstanceOfSatisfying(
                            ImageException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.CANCELLED)));
    Eventually.await(
        "the layer is asked for",
        () ->
            registry.requests().stream()
                .anyMatch(request -> request.contains(image.layers().getFirst().toString())));
    Future<Image> second;
    try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
      second = thread.submit(() -> pull(name));
      first.interrupt();
      first.join();
      assertThat(second.get().id()).isEqualTo(image.id());
    }
  }

  @Test
  void fullDisk() throws IOException {
    Path small = Files.createDirectory(folder.resolve("small"));
    Command.of("mount", "-t", "tmpfs", "-o", "size=700k,mode=700", "tmpfs", small.toString()).run();
    try {
      TestImage image = large();
      String name = registry.push("test:1", image);
      store =
          LocalImageStore.open(
              StoreSettings.usual(small.resolve("store"))
                  .registry(RegistrySettings.USUAL.hosts(folder.resolve("hosts"))));
      assertFails(name, Reason.NO_SPACE, "No space left");
      Command.of("mount", "-o", "remount,size=4m", small.toString()).run();
      assertThat(pull(name).id()).isEqualTo(image.id());
    } finally {
      Command.of("umount", small.toString()).run();
    }
  }
}
