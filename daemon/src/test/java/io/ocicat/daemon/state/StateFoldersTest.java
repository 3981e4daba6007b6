package io.ocicat.daemon.state;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFoldersTest {
  private static final Object ROOT = 0;
  private static final Object NOBODY = 65534;
  private static final Path RUN = Path.of("/run/ocicat");

  /** Review U17: nobody is advised to remove root's folder. */
  @Test
  void aFolderOfRootsIsSimplyDenied() {
    assertThatThrownBy(() -> StateFolders.requireOwn(RUN, ROOT, NOBODY))
        .isInstanceOf(AccessDeniedException.class)
        .hasMessage("/run/ocicat");
  }

  @Test
  void aFolderOfAnotherUserIsNamed() {
    assertThatThrownBy(() -> StateFolders.requireOwn(RUN, NOBODY, ROOT))
        .isInstanceOf(IOException.class)
        .hasMessage("it belongs to uid 65534, not to 0; remove it or change its owner");
    assertThatThrownBy(() -> StateFolders.requireOwn(RUN, 1000, NOBODY))
        .hasMessage(
            "it belongs to uid 1000, not to 65534; name one of your own by OCICAT_RUN_DIR and OCICAT_STATE_DIR");
    assertThatCode(() -> StateFolders.requireOwn(RUN, NOBODY, NOBODY)).doesNotThrowAnyException();
  }

  /** Review U24: {@code OCICAT_STATE_DIR=/etc/passwd}. */
  @Test
  void aFileIsNotAFolder(@TempDir Path directory) throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    StateFolders folders =
        StateFolders.of(
            Map.of(
                "OCICAT_RUN_DIR", directory.resolve("run").toString(),
                "OCICAT_STATE_DIR", file.toString()));

    assertThatThrownBy(folders::create)
        .isInstanceOf(UncheckedIOException.class)
        .hasMessage("cannot create the directory %s: it is not a directory".formatted(file));
  }
}
