package io.ocicat.image.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.image.Image;
import io.ocicat.image.PullEvent;
import io.ocicat.image.testing.TestImage;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots whose maker or remover was killed: mounts outlive a process, unlike its locks. */
class SnapshotKillTest {
  @TempDir private Path folder;
  private LocalImageStore store;
  private Image image;

  @BeforeEach
  void load() throws IOException {
    store = TestStores.open(folder);
    Path archive = Files.write(folder.resolve("a"), TestImage.small("hello").dockerArchive("a:1"));
    image = store.load(archive, null, PullEvent.Listener.NOBODY).getFirst();
  }

  @AfterEach
  void removeAll() {
    store.snapshots().list().forEach(store.snapshots()::remove);
  }

  private void kill(String operation, String point) {
    Output killed =
        Command.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                KillMain.class.getName(),
                folder.resolve("store").toString(),
                operation,
                "c1",
                point)
            .limit(Duration.ofMinutes(1))
            .attempt();
    assertThat(killed.exitCode()).as(killed.toString()).isEqualTo(128 + 9);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "snapshot folder made",
        "snapshot recorded",
        "snapshot folders made",
        "snapshot mounted"
      })
  void killedWhilePreparing(String point) {
    kill("prepare", point);
    assertThat(store.snapshots().list()).containsExactly("c1");
    Path root = store.snapshots().prepare("c1", image);
    assertThat(root.resolve("etc/motd")).content().isEqualTo("hello");
    assertGone();
  }

  @ParameterizedTest
  @ValueSource(strings = {"snapshot folder made", "snapshot mounted"})
  void killedWhilePreparingAndThenRemoved(String point) {
    kill("prepare", point);
    assertGone();
  }

  @ParameterizedTest
  @ValueSource(strings = {"snapshot unmounted", "snapshot files removed", "snapshot forgotten"})
  void killedWhileRemoving(String point) throws IOException {
    Path root = store.snapshots().prepare("c1", image);
    Files.writeString(root.resolve("mine"), "written");
    kill("remove", point);
    assertThat(store.snapshots().list()).containsExactly("c1");
    assertGone();
  }

  private void assertGone() {
    store.snapshots().remove("c1");
    assertThat(store.snapshots().list()).isEmpty();
    assertThat(OverlayMount.isMounted(folder.resolve("store/snapshots/c1/root"))).isFalse();
  }
}
