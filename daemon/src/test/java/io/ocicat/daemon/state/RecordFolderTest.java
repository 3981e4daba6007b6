package io.ocicat.daemon.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.BootId;
import io.ocicat.base.CrashPoints;
import io.ocicat.netlink.linux.FileStat;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordFolderTest {
  private static final CallRecord RECORD =
      new CallRecord(
          new BootId(new UUID(1, 2)),
          3,
          NamespaceId.NONE,
          NamespaceId.NONE,
          "bridge",
          Map.of(),
          new byte[0],
          new byte[0]);

  private final FileTime longAgo = FileTime.from(Instant.now().minusSeconds(60));

  @TempDir Path folder;

  /** Review R14: reading it would wait for its writer. */
  @Test
  void aPipeIsNotARecord() throws IOException {
    RecordFolder spool = new RecordFolder(folder, CrashPoints.IGNORED);
    Command.of("mkfifo", folder.resolve("pipe").toString()).run();
    Command.of("touch", "-d", "2020-01-01", folder.resolve("pipe").toString()).run();

    assertThat(spool.read("pipe")).isEmpty();
    assertThat(spool.list()).isEmpty();
    assertThat(spool.isBroken("pipe")).isTrue();
    spool.write("pipe", RECORD);
    assertThat(spool.read("pipe")).isPresent();
  }

  /** Also when it was found empty long before, and in the same tick of the file system's clock. */
  @Test
  void aFolderIsEmptyOnlyWhileNothingIsInIt() throws IOException {
    RecordFolder spool = new RecordFolder(folder, CrashPoints.IGNORED);
    Eventually.await(
        "the file system's clock to go on",
        () -> FileStat.of(folder).isSettled(System.currentTimeMillis()));
    assertThat(spool.isEmpty()).isTrue();
    assertThat(spool.isEmpty()).isTrue();

    spool.write("one", RECORD);
    assertThat(spool.isEmpty()).isFalse();
    spool.remove("one");
    assertThat(spool.isEmpty()).as("just emptied").isTrue();
    FileTime now = Files.getLastModifiedTime(spool.path());
    spool.write("two", RECORD);
    Files.setLastModifiedTime(spool.path(), now);

    assertThat(spool.isEmpty()).as("filled in the same tick").isFalse();
  }

  @Test
  void anIncompleteRecordIsBrokenOnceNoWriterIsLeft() throws IOException {
    RecordFolder records = new RecordFolder(folder, CrashPoints.IGNORED);
    records.write("whole", RECORD);
    Files.setLastModifiedTime(folder.resolve("whole"), longAgo);
    Path torn = Files.write(folder.resolve("torn"), new byte[] {1, 2, 3});

    assertThat(records.isBroken("whole")).isFalse();
    assertThat(records.isBroken("none")).isFalse();
    assertThat(records.isBroken("torn")).as("just being written").isFalse();
    Files.setLastModifiedTime(torn, longAgo);
    assertThat(records.isBroken("torn")).isTrue();
  }

  /** As when the process has no descriptors left: its content is unknown, so it stays. */
  @Test
  void whatCannotBeReadIsNotBroken() throws IOException {
    RecordFolder records = new RecordFolder(folder, CrashPoints.IGNORED);
    // A regular file whose first byte cannot be read, since nothing is mapped there.
    Path file = Files.createSymbolicLink(folder.resolve("unreadable"), Path.of("/proc/self/mem"));
    Files.setLastModifiedTime(file, longAgo);
    assertThat(Files.getLastModifiedTime(file)).isEqualTo(longAgo);
    assertThatThrownBy(() -> Files.readAllBytes(file)).isInstanceOf(IOException.class);

    assertThat(records.read("unreadable")).isEmpty();
    assertThat(records.isBroken("unreadable")).isFalse();
    Files.delete(file);
  }
}
