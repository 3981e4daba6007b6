package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Hosts
class HealthyAttachmentsTest {
  /** A clock by which all files were written a while ago. */
  private static final Clock LATER = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(1));

  @TempDir Path directory;

  private final List<String> read = new ArrayList<>();
  private RecordFolder folder;

  @BeforeEach
  void aFolder() {
    StateFolders folders = new StateFolders(directory.resolve("run"), directory.resolve("state"));
    folders.create();
    folder = new DaemonState(folders, BootId.current()).attachments();
  }

  @Test
  void aRecordThatDoesNotChangeIsReadOnce() {
    HealthyAttachments attachments = attachments(LATER);
    folder.write("a", record("", "bridge"));
    folder.write("b", record("", "bridge"));

    for (int i = 0; i < 3; i++) {
      assertThat(attachments.contains("a")).isTrue();
      assertThat(attachments.contains("b")).isTrue();
    }

    assertThat(read).containsExactly("a", "b");
  }

  @Test
  void aRecordThatIsReplacedIsReadAgain() {
    HealthyAttachments attachments = attachments(LATER);
    folder.write("a", record("", "bridge"));
    assertThat(attachments.contains("a")).isTrue();

    folder.write("a", record("", "portmap"));
    assertThat(attachments.contains("a")).as("no longer sound").isFalse();
    folder.write("a", record("", "bridge"));
    assertThat(attachments.contains("a")).as("sound again").isTrue();

    assertThat(read).containsExactly("a", "a", "a");
  }

  @Test
  void aRecordThatIsWrittenOverIsReadAgain() throws IOException {
    HealthyAttachments attachments = attachments(LATER);
    folder.write("a", record("", "bridge"));
    assertThat(attachments.contains("a")).isTrue();

    Path file = folder.path().resolve("a");
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);

    assertThat(attachments.contains("a")).isFalse();
  }

  /** Within one tick of the file system's clock, and with the inode of the one before. */
  @Test
  void howeverSoonARecordIsReplacedItShows() {
    HealthyAttachments attachments = attachments(Clock.systemUTC());
    for (int i = 0; i < 500; i++) {
      folder.write("a", record("", "bridge"));
      assertThat(attachments.contains("a")).isTrue();
      folder.write("a", record("", "portma"));
      assertThat(attachments.contains("a")).isFalse();
    }
  }

  @Test
  void aNamespaceThatIsGoneShowsAlthoughTheRecordIsTheSame(Host container) {
    HealthyAttachments attachments = attachments(LATER);
    folder.write("a", record(container.path().toString(), "bridge"));
    assertThat(attachments.contains("a")).isTrue();
    assertThat(attachments.contains("a")).isTrue();

    container.close();

    assertThat(attachments.contains("a")).isFalse();
    assertThat(read).containsExactly("a");
  }

  @Test
  void anotherNamespaceOfTheSameNameIsNotTheSame(Host container, Host other) throws IOException {
    Path name = Files.createSymbolicLink(directory.resolve("netns"), container.path());
    HealthyAttachments attachments = attachments(LATER);
    folder.write("a", record(name.toString(), "bridge"));
    assertThat(attachments.contains("a")).isTrue();

    Files.delete(name);
    Files.createSymbolicLink(name, other.path());

    assertThat(attachments.contains("a")).isFalse();
  }

  @Test
  void whatIsGoneIsForgotten() {
    HealthyAttachments attachments = attachments(LATER);
    folder.write("a", record("", "bridge"));
    folder.write("b", record("", "bridge"));
    attachments.contains("a");
    attachments.contains("b");

    attachments.forgetAllBut(List.of("b"));
    attachments.contains("a");
    attachments.contains("b");

    assertThat(read).containsExactly("a", "b", "a");
    assertThat(attachments.contains("nothing")).isFalse();
  }

  /** Bridge's records are healthy, those of others are not. */
  private HealthyAttachments attachments(Clock clock) {
    return new HealthyAttachments(
        folder,
        name -> {
          read.add(name);
          return folder.read(name);
        },
        record -> record.plugin().equals("bridge"),
        clock);
  }

  private static CallRecord record(String netns, String plugin) {
    return new CallRecord(
        BootId.current(),
        3,
        NamespaceId.own(),
        NamespaceId.of(netns),
        plugin,
        Map.of(CniEnvironment.NETNS, netns),
        new byte[0],
        new byte[0]);
  }
}
