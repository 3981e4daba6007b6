package io.ocicat.netlink.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FdTest {

  @ParameterizedTest
  @ValueSource(strings = {"/proc", "/sys", "/tmp", "/dev/shm"})
  void tellsTheKindOfFileSystem(Path path) {
    String expected = Command.of("stat", "-f", "-c", "%t", path.toString()).run().stdout().strip();

    try (Fd fd = Fd.open(path, Fd.O_RDONLY, 0)) {
      assertThat(Long.toHexString(fd.fileSystem())).isEqualTo(expected);
    }
  }
}
