package io.ocicat.image.unpack;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.image.archive.ArchiveException;
import io.ocicat.image.archive.ArchiveLimits;
import io.ocicat.image.archive.Decompression;
import io.ocicat.image.files.Directory;
import io.ocicat.image.files.Trees;
import io.ocicat.image.testing.TarBuilder;
import io.ocicat.image.testing.TestImage;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Seeded;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives as programs write them, and as nobody does. */
class TarFormatsTest {
  private static final String ODD = "/.0157wh\0\377";

  @TempDir private Path folder;

  private static List<String> tree(Path root) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Directory directory = Directory.open(root)) {
      LayerListing.list(directory, lines::add);
    }
    return lines;
  }

  private void unpack(InputStream in, Path target) throws IOException {
    try (InputStream plain = Decompression.open(in)) {
      LayerUnpacker.unpack(
          plain,
          target,
          List.of(),
          new ArchiveLimits(8 << 20, 1000, 1 << 20),
          DevicePolicy.HARMLESS);
    }
  }

  /** Names that are not text, long names and targets, large ids, sub-second times. */
  @ParameterizedTest
  @ValueSource(strings = {"gnu", "pax", "oldgnu"})
  void everyFormatGivesTheSameTree(String format) throws IOException {
    Path source = Files.createDirectory(folder.resolve("source"));
    String name = "n".repeat(120);
    shell(
        source,
        "mkdir -p d/%1$s && echo a >d/%1$s/%1$s && ln -s d/%1$s/%1$s/%1$s link && ln d/%1$s/%1$s hard"
                .formatted(name)
            + " && printf x >\"$(printf 'not\\377utf8')\" && touch -d '2001-02-03 04:05:06.5' d"
            + " && chown 2097153:70000 d && mkfifo pipe && mknod null c 1 3 && chmod 2711 d"
            + " && printf '' >empty && head -c 70000 /dev/zero >zeros && ln -s '' x 2>/dev/null || true");
    shell(source, "tar --format=%s --sort=name -cf ../archive.tar .".formatted(format));
    Path expected = Files.createDirectory(folder.resolve("expected"));
    shell(expected, "tar --same-owner -xpf ../archive.tar");
    Path target = Files.createDirectory(folder.resolve("target"));
    try (InputStream in = Files.newInputStream(folder.resolve("archive.tar"))) {
      unpack(in, target);
    }
    assertThat(tree(target)).isEqualTo(tree(expected)).anyMatch(line -> line.contains("%ff"));
    Trees.remove(target);
    assertThat(target).doesNotExist();
    // Java cannot remove what is not text in its locale.
    Trees.remove(expected);
    Trees.remove(source);
  }

  private static void shell(Path directory, String script) {
    Command.of("sh", "-c", script).in(directory).run();
  }

  @Test
  void compressionThatIsDamagedOrCut() throws IOException {
    byte[] tar = new TarBuilder().file("a", "x".repeat(50_000)).build();
    Path plain = Files.write(folder.resolve("a.tar"), tar);
    Command.of("zstd", "-q", plain.toString()).run();
    byte[] zstd = Files.readAllBytes(folder.resolve("a.tar.zst"));
    for (byte[] whole : List.of(TestImage.gzip(tar), zstd)) {
      unpack(new ByteArrayInputStream(whole), Files.createTempDirectory(folder, "t"));
      byte[] cut = Arrays.copyOf(whole, whole.length / 2);
      assertThatThrownBy(
              () -> unpack(new ByteArrayInputStream(cut), Files.createTempDirectory(folder, "t")))
          .isInstanceOf(ArchiveException.class);
      byte[] damaged = whole.clone();
      damaged[whole.length / 2] ^= 0x55;
      assertThatThrownBy(
              () ->
                  unpack(new ByteArrayInputStream(damaged), Files.createTempDirectory(folder, "t")))
          .isInstanceOf(ArchiveException.class);
    }
  }

  /** Whatever the bytes are: unpacked or refused, and nothing outside is touched. */
  @Test
  void anyBytesAreUnpackedOrRefused() throws IOException {
    byte[] tar =
        new TarBuilder()
            .directory("d/")
            .symlink("d/up", "../..")
            .file("d/file", "content")
            .link("d/hard", "d/file")
            .pax("path", "d/long")
            .pax("SCHILY.xattr.user.a", "b")
            .file("short", "x")
            .file("d/.wh.gone", "")
            .buildOpen();
    Path outside = Files.createDirectory(folder.resolve("outside"));
    Seeded.forAll(
        200,
        random -> {
          byte[] mutated = tar.clone();
          for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            int block = random.nextInt(mutated.length / 512) * 512;
            mutated[block + random.nextInt(512)] = (byte) ODD.charAt(random.nextInt(ODD.length()));
            // The sum is made right again, so that the fields behind it are looked at.
            repairSum(mutated, block);
          }
          Path target = Files.createDirectory(outside.resolve("root"));
          try {
            unpack(new ByteArrayInputStream(mutated), target);
          } catch (ArchiveException e) {
            assertThat(e).hasMessageNotContaining("\n");
          } finally {
            Trees.remove(target);
          }
          assertThat(outside).isEmptyDirectory();
        });
  }

  private static void repairSum(byte[] tar, int block) {
    Arrays.fill(tar, block + 148, block + 156, (byte) ' ');
    int sum = 0;
    for (int i = block; i < block + 512; i++) {
      sum += Byte.toUnsignedInt(tar[i]);
    }
    byte[] text = "%06o".formatted(sum).getBytes(US_ASCII);
    System.arraycopy(text, 0, tar, block + 148, text.length);
    tar[block + 154] = 0;
  }
}
