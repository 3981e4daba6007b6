package io.ocicat.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BootIdTest {
  @Test
  void isWhatTheKernelSaysAndReadsLikeIt() throws IOException {
    assertThat(BootId.current()).hasToString(Files.readString(BootId.FILE).strip());
  }

  @Test
  void ofAnotherBootIsAnother(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("boot_id");
    Files.writeString(file, "3b241101-e2bb-4255-8caf-4136c566a962\n");
    assertThat(BootId.read(file)).isNotEqualTo(BootId.current());
    assertThatThrownBy(() -> BootId.read(folder.resolve("none")))
        .isInstanceOf(UncheckedIOException.class);
  }
}
