package io.ocicat.netlink.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModificationTimeTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 1_234_567_890_123_456_789L, -1, -1_500_000_000})
  void isWhatTheJdkThenSays(long nanos) throws IOException {
    FileTime accessed = (FileTime) Files.getAttribute(folder, "lastAccessTime");

    ModificationTime.set(folder, nanos);

    assertThat(Files.getLastModifiedTime(folder).to(TimeUnit.NANOSECONDS)).isEqualTo(nanos);
    assertThat(Files.getAttribute(folder, "lastAccessTime")).isEqualTo(accessed);
  }

  @Test
  void namesTheFileThatIsNotThere() {
    Path nothing = folder.resolve("nothing");

    assertThatThrownBy(() -> ModificationTime.set(nothing, 0))
        .isInstanceOf(NetlinkException.class)
        .hasMessage("set the time of %s: No such file or directory (ENOENT)", nothing);
  }
}
