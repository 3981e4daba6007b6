package io.ocicat.image.unpack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.image.archive.ArchiveException;
import io.ocicat.image.archive.ArchiveLimits;
import io.ocicat.image.archive.Decompression;
import io.ocicat.image.testing.TarBuilder;
import io.ocicat.image.testing.TestImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Layers that try to get out, or to fill the machine. */
class HostileArchiveTest {
  private static final ArchiveLimits LIMITS = new ArchiveLimits(1 << 20, 100, 4096);

  @TempDir private Path folder;
  private Path root;
  private Path outside;

  @BeforeEach
  void makeRoot() throws IOException {
    root = Files.createDirectory(folder.resolve("root"));
    outside = Files.createDirectory(folder.resolve("outside"));
    Files.writeString(outside.resolve("secret"), "untouched");
  }

  private void unpack(TarBuilder tar) throws IOException {
    unpack(tar.build());
  }

  private void unpack(byte[] tar) throws IOException {
    try (InputStream in = Decompression.open(new ByteArrayInputStream(tar))) {
      LayerUnpacker.unpack(in, root, List.of(), LIMITS, DevicePolicy.HARMLESS);
    }
  }

  private void refused(TarBuilder tar, String why) throws IOException {
    assertThatThrownBy(() -> unpack(tar))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining(why);
    nothingOutside();
  }

  private void nothingOutside() throws IOException {
    assertThat(outside.resolve("secret")).content().isEqualTo("untouched");
    try (var files = Files.list(outside)) {
      assertThat(files).hasSize(1);
    }
    try (var files = Files.list(folder)) {
      assertThat(files).hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"../x", "a/../../x", "a/..", "..", "./../outside/secret", "a/b/../c"})
  void nameWithDotDot(String name) throws IOException {
    refused(new TarBuilder().file(name, "evil"), "leaves the root by \"..\"");
  }

  @Test
  void absoluteName() throws IOException {
    refused(new TarBuilder().file("/etc/passwd", "evil"), "is absolute");
    refused(new TarBuilder().file(outside + "/secret", "evil"), "is absolute");
  }

  @Test
  void dotDotInAnExtendedHeader() throws IOException {
    refused(
        new TarBuilder().pax("path", "../outside/secret").file("harmless", "evil"),
        "leaves the root");
  }

  @Test
  void nameThatEndsAtAZeroByteForSomeReaders() throws IOException {
    refused(new TarBuilder().pax("path", "a\0../b").file("harmless", "evil"), "zero byte");
  }

  @Test
  void fileThroughALinkOutOfTheRoot() throws IOException {
    refused(
        new TarBuilder().symlink("out", "../outside").file("out/secret", "evil"),
        "leaves the root through a link");
  }

  @Test
  void fileThroughALinkDeepBelow() throws IOException {
    refused(
        new TarBuilder()
            .directory("a/")
            .directory("a/b/")
            .symlink("a/b/out", "../../../outside")
            .file("a/b/out/secret", "evil"),
        "leaves the root through a link");
  }

  @Test
  void fileThroughAChainOfLinks() throws IOException {
    refused(
        new TarBuilder()
            .symlink("one", "two")
            .symlink("two", "three/..")
            .directory("three/")
            .symlink("three/up", "../../outside")
            .file("one/three/up/secret", "evil"),
        "leaves the root through a link");
  }

  @Test
  void absoluteLinkLeadsToTheRootOfTheLayer() throws IOException {
    unpack(
        new TarBuilder()
            .directory("outside/")
            .symlink("out", outside.toString())
            .symlink("var", "/data")
            .file("out/secret", "inside")
            .file("var/file", "inside"));
    nothingOutside();
    assertThat(root.resolve("data/file")).content().isEqualTo("inside");
    assertThat(Path.of(root + outside.toString()).resolve("secret")).exists();
  }

  @Test
  void linksInACircle() throws IOException {
    refused(
        new TarBuilder().symlink("a", "b").symlink("b", "a").file("a/x", ""), "more than 40 links");
  }

  @Test
  void linkIsReplacedNotFollowed() throws IOException {
    unpack(new TarBuilder().symlink("x", "../outside/secret").file("x", "mine"));
    nothingOutside();
    assertThat(root.resolve("x")).isRegularFile().content().isEqualTo("mine");
  }

  @Test
  void directoryOverALinkChangesNothingBehindIt() throws IOException {
    unpack(new TarBuilder().symlink("x", "../outside").mode(0700).owner(7, 7).directory("x/"));
    nothingOutside();
    assertThat(Files.isDirectory(root.resolve("x"), LinkOption.NOFOLLOW_LINKS)).isTrue();
    assertThat(Files.getAttribute(outside, "unix:uid")).isEqualTo(0);
  }

  @Test
  void hardLinkOutOfTheRoot() throws IOException {
    refused(new TarBuilder().link("x", "../outside/secret"), "leaves the root");
    refused(new TarBuilder().link("x", outside + "/secret"), "does not exist in this layer");
  }

  @Test
  void hardLinkThroughALink() throws IOException {
    refused(
        new TarBuilder().symlink("out", "../outside").link("x", "out/secret"),
        "leaves the root through a link");
  }

  @Test
  void hardLinkToALinkIsALink() throws IOException {
    unpack(
        new TarBuilder()
            .symlink("out", "../outside/secret")
            .link("x", "out")
            .owner(7, 7)
            .file("x", "mine"));
    nothingOutside();
  }

  @Test
  void hardLinkToADirectoryOrNothing() throws IOException {
    refused(new TarBuilder().directory("d/").link("x", "d"), "not a file of this layer");
    refused(new TarBuilder().link("y", "nothing"), "not a file of this layer");
  }

  @Test
  void whiteoutOutOfTheRoot() throws IOException {
    refused(new TarBuilder().file("..//.wh.outside", ""), "leaves the root");
    refused(
        new TarBuilder().symlink("out", "../outside").file("out/.wh.secret", ""),
        "leaves the root through a link");
    refused(new TarBuilder().file(".wh...", ""), "names no file");
    refused(new TarBuilder().file(".wh.", ""), "names no file");
  }

  @Test
  void devices() throws IOException {
    refused(new TarBuilder().device('4', "sda", 8, 0), "device 8:0");
    refused(new TarBuilder().device('3', "mem", 1, 1), "device 1:1");
    refused(new TarBuilder().device('3', "hidden", 0, 0), "device 0:0");
    unpack(new TarBuilder().device('3', "null", 1, 3));
    assertThat(root.resolve("null")).exists();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"trusted.overlay.opaque", "trusted.overlay.redirect", "user.overlay.redirect"})
  void attributesOfOverlay(String attribute) throws IOException {
    refused(
        new TarBuilder().pax("SCHILY.xattr." + attribute, "y").directory("d/"),
        "which images may not set");
  }

  @Test
  void bombOfZeros() throws IOException {
    byte[] bomb =
        TestImage.gzip(
            new TarBuilder().header('0', "zeros", 8 << 20).data(new byte[8 << 20]).build());
    assertThat(bomb.length).isLessThan(100_000);
    assertThatThrownBy(() -> unpack(bomb)).hasMessageContaining("more than the allowed 1048576");
    nothingOutside();
  }

  @Test
  void bombBehindTheEnd() throws IOException {
    byte[] bomb = TestImage.gzip(new TarBuilder().data(new byte[8 << 20]).build());
    assertThatThrownBy(() -> unpack(bomb)).hasMessageContaining("more than the allowed 1048576");
  }

  @Test
  void tooManyEntries() throws IOException {
    TarBuilder tar = new TarBuilder();
    for (int i = 0; i <= 100; i++) {
      tar.file("f" + i, "");
    }
    refused(tar, "more than the allowed 100 entries");
  }

  @Test
  void hugeHeaders() throws IOException {
    refused(new TarBuilder().pax("comment", "x".repeat(5000)).file("a", ""), "extended header");
    refused(new TarBuilder().header('L', "././@LongLink", 1L << 32), "extended header");
  }

  @Test
  void longNames() throws IOException {
    refused(
        new TarBuilder().pax("path", "a/".repeat(2000) + "b").file("a", ""), "directories deep");
    refused(new TarBuilder().pax("path", "x".repeat(300)).file("a", ""), "ENAMETOOLONG");
  }

  @Test
  void malformedHeaders() throws IOException {
    byte[] damaged = new TarBuilder().file("a", "").build();
    damaged[0] = 'b';
    assertThatThrownBy(() -> unpack(damaged)).hasMessageContaining("sum is wrong");
    assertThatThrownBy(() -> unpack(new TarBuilder().header('0', "a", 1000).buildOpen()))
        .hasMessageContaining("in the middle");
    refused(new TarBuilder().pax("uid", "-5").file("a", ""), "owner out of range");
    refused(new TarBuilder().pax("size", "-1").file("a", ""), "negative size");
    refused(new TarBuilder().pax("mtime", "soon").file("a", ""), "not a time");
    refused(new TarBuilder().pax("GNU.sparse.major", "1").file("a", ""), "sparse");
    refused(new TarBuilder().header('Q', "a", 0), "type \"Q\"");
  }

  @Test
  void ofTwoEntriesTheLastCounts() throws IOException {
    unpack(
        new TarBuilder()
            .file("a", "first")
            .file("a", "second")
            .directory("d/")
            .file("d/x", "kept")
            .mode(0700)
            .directory("d/")
            .directory("e/")
            .file("e/x", "")
            .file("e", "a file now"));
    assertThat(root.resolve("a")).content().isEqualTo("second");
    assertThat(root.resolve("d/x")).exists();
    assertThat(root.resolve("e")).content().isEqualTo("a file now");
  }

  @Test
  void namesThatDifferInCaseOnlyAreDifferent() throws IOException {
    unpack(new TarBuilder().symlink("DATA", "../outside").file("data/secret", "mine"));
    nothingOutside();
    assertThat(root.resolve("data/secret")).content().isEqualTo("mine");
    unpack(new TarBuilder().file("x/.WH.y", "a file"));
    assertThat(root.resolve("x/.WH.y")).content().isEqualTo("a file");
  }

  @Test
  void fileAsDirectory() throws IOException {
    refused(new TarBuilder().file("a", "").file("a/b", ""), "not a directory");
  }
}
