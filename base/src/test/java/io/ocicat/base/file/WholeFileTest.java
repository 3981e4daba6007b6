package io.ocicat.base.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
  private static final byte[] NEW = "new".getBytes(StandardCharsets.UTF_8);

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void nameTheFile() {
    file = folder.resolve("record.json");
  }

  @Test
  void theNewContentReplacesTheOldAndOnlyTheOwnerMayReadIt() throws IOException {
    Files.writeString(file, "old and longer");
    WholeFile.at(file).durable().write(NEW);
    assertThat(file).hasBinaryContent(NEW);
    assertThat(mode()).isEqualTo("rw-------");
    assertThat(names()).containsExactly("record.json");
  }

  @Test
  void aModeIsSetWhateverTheUmaskIs() throws IOException {
    WholeFile.at(file).mode("rwxrwxrwx").write(NEW);
    assertThat(mode()).isEqualTo("rwxrwxrwx");
  }

  @Test
  void aDraftThatSomebodyKilledHasLeftIsOverwritten() throws IOException {
    Path draft = folder.resolve(".draft");
    Files.writeString(draft, "half of something longer");
    WholeFile.at(file).draft(draft).write(NEW);
    assertThat(file).hasBinaryContent(NEW);
    assertThat(names()).containsExactly("record.json");
  }

  @Test
  void aDraftIsNeverWrittenThroughALink() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "precious");
    Path draft = Files.createSymbolicLink(folder.resolve(".draft"), victim);
    assertThatThrownBy(() -> WholeFile.at(file).draft(draft).write(NEW))
        .isInstanceOf(IOException.class);
    assertThat(victim).hasContent("precious");
    assertThat(file).doesNotExist();
  }

  @Test
  void whoFailsLeavesTheOldContentAndNoDraft() throws IOException {
    Files.writeString(file, "old");
    assertThatThrownBy(
            () ->
                WholeFile.at(file)
                    .write(
                        out -> {
                          out.write("half");
                          out.flush();
                          throw new IOException("the disk is full");
                        }))
        .hasMessage("the disk is full");
    assertThat(file).hasContent("old");
    assertThat(names()).containsExactly("record.json");
  }

  @Test
  void aFolderInItsPlaceStays() throws IOException {
    Files.createDirectories(file.resolve("inside"));
    assertThatThrownBy(() -> WholeFile.at(file).write(NEW)).isInstanceOf(IOException.class);
    assertThat(file.resolve("inside")).isDirectory();
    assertThat(names()).containsExactly("record.json");
  }

  @Test
  void textIsWrittenPieceByPiece() throws IOException {
    int lines =
        WholeFile.at(file)
            .write(
                out -> {
                  for (int i = 0; i < 10_000; i++) {
                    out.write("käse " + i + "\n");
                  }
                  return 10_000;
                });
    assertThat(lines).isEqualTo(10_000);
    assertThat(Files.readAllLines(file)).hasSize(10_000).endsWith("käse 9999");
  }

  private String mode() throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  private Stream<String> names() throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> entry.getFileName().toString()).toList().stream();
    }
  }
}
