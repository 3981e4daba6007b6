package io.ocicat.netlink.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.linux.Fd.FileId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStatTest {
  @TempDir Path folder;

  @Test
  void saysWhatTheJdkSays() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "content");
    Files.setLastModifiedTime(
        file, FileTime.from(1_234_567_890_123_456_789L, TimeUnit.NANOSECONDS));

    FileStat stat = FileStat.of(file);

    assertThat(stat.id())
        .isEqualTo(
            new FileId(
                (Long) Files.getAttribute(file, "unix:dev"),
                (Long) Files.getAttribute(file, "unix:ino")));
    assertThat(stat.modifiedNanos()).isEqualTo(1_234_567_890_123_456_789L);
    assertThat(stat.changedNanos())
        .isEqualTo(((FileTime) Files.getAttribute(file, "unix:ctime")).to(TimeUnit.NANOSECONDS));
  }

  @Test
  void followsLinks() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder);

    assertThat(FileStat.of(link)).isEqualTo(FileStat.of(folder));
  }

  /**
   * Otherwise a second change in the same tick of the file system's clock would look like the
   * first.
   */
  @Test
  void isSettledOnceTheClockHasGoneOn() throws IOException {
    FileStat stat = FileStat.of(Files.writeString(folder.resolve("file"), "content"));
    long then = TimeUnit.NANOSECONDS.toMillis(stat.changedNanos());

    assertThat(stat.isSettled(then)).isFalse();
    assertThat(stat.isSettled(then + 50)).isFalse();
    assertThat(stat.isSettled(then + 1000)).isTrue();
    assertThat(stat.isSettled(then - 1000)).as("the clock was set back").isFalse();
  }

  @Test
  void namesTheFileThatIsNotThere() {
    Path nothing = folder.resolve("nothing");

    assertThatThrownBy(() -> FileStat.of(nothing))
        .isInstanceOf(NetlinkException.class)
        .hasMessage("stat %s: No such file or directory (ENOENT)", nothing);
  }
}
