package io.ocicat.netlink.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RegularFileTest {
  @TempDir Path folder;

  @Test
  void itIsReadWholeAlsoThroughALink() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "content");
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    assertThat(RegularFile.read(link, 7)).asString().isEqualTo("content");
    assertThat(RegularFile.read(Path.of("/proc/sys/kernel/hostname"), 100)).isNotEmpty();
  }

  @Test
  void oneByteTooManyIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "content");
    assertThatThrownBy(() -> RegularFile.read(file, 6))
        .isInstanceOf(FileSystemException.class)
        .hasMessage(file + ": it has more than 6 bytes");
  }

  @Test
  void pipesDevicesAndDirectoriesAreNone() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    for (Path none : new Path[] {pipe, folder, Path.of("/dev/zero")}) {
      assertThatThrownBy(() -> RegularFile.read(none, 100))
          .isInstanceOf(FileSystemException.class)
          .hasMessageMatching(none + ": (not a regular file|Is a directory)");
    }
  }

  @Test
  void oneThatIsMissingIsNamed() {
    Path missing = folder.resolve("missing");
    assertThatThrownBy(() -> RegularFile.read(missing, 1))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(missing.toString());
  }
}
