package io.ocicat.plugins.hostlocal;

import static io.ocicat.plugins.Side.GO;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.plugin.Plugin;
import io.ocicat.plugins.Ipam;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All kinds of files in a network's directory. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LeaseScanTest {
  @TempDir Path tmp;

  private final Plugin resident = new HostLocalPlugin();

  private Ipam net() {
    return Ipam.of(
            "host-local",
            "{\"cniVersion\":\"1.0.0\",\"name\":\"mynet\",\"type\":\"bridge\",\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"%s\",\"subnet\":\"10.1.2.0/28\"}}"
                .formatted(tmp))
        .resident(resident);
  }

  private NetworkDir dir() {
    return new NetworkDir(tmp.resolve("mynet"));
  }

  @BeforeEach
  void makeDirectory() throws IOException {
    Files.createDirectories(dir().path());
  }

  /**
   * #498: a killed process, or a power failure, leaves them; the Go plugin never reuses their
   * addresses.
   */
  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "\u0000\u0000\u0000", " \r\n "})
  void emptyFilesDoNotPoisonArange(String content) {
    for (int i = 2; i < 15; i++) {
      dir().put("10.1.2." + i, content);
    }

    assertThat(net().add().ok().at("/ips/0/address").asString()).isEqualTo("10.1.2.2/28");
    assertThat(dir().leases()).isEqualTo(Map.of("10.1.2.2", "ctr\r\neth0"));
    assertThat(net().container("other").by(GO).add().ok().at("/ips/0/address").asString())
        .isEqualTo("10.1.2.3/28");
  }

  @Test
  void adraftThatWasLeftBehindDoesNoHarm() throws IOException {
    dir().put(LeaseFile.DRAFT, "dead\r\neth0");

    net().by(GO).add().ok();
    assertThat(dir().leases()).containsOnlyKeys("10.1.2.2", LeaseFile.DRAFT);
    net().container("a").add().ok();
    assertThat(dir().leases()).containsOnlyKeys("10.1.2.2", "10.1.2.3");

    // Killed between the link and the removal of the draft: the lease must survive what follows.
    Files.createLink(dir().path().resolve(LeaseFile.DRAFT), dir().path().resolve("10.1.2.3"));
    net().container("b").add().ok();
    assertThat(dir().leases())
        .isEqualTo(
            Map.of("10.1.2.2", "ctr\r\neth0", "10.1.2.3", "a\r\neth0", "10.1.2.4", "b\r\neth0"));
  }

  @Test
  void whatIsNoFileKeepsItsAddressAndIsNeverOpened() throws IOException {
    Path dir = dir().path();
    Command.of("mkfifo", dir.resolve("10.1.2.2").toString()).run();
    Files.createSymbolicLink(dir.resolve("10.1.2.3"), Path.of("/nowhere/at/all"));
    Files.createSymbolicLink(dir.resolve("10.1.2.4"), Path.of("/dev/zero"));
    Files.createDirectory(dir.resolve("10.1.2.5"));
    Command.of("mkfifo", dir.resolve("last_reserved_ip.7").toString()).run();

    assertThat(net().add().ok().at("/ips/0/address").asString()).isEqualTo("10.1.2.6/28");
    net().del().ok();

    assertThat(Files.exists(dir.resolve("10.1.2.3"), LinkOption.NOFOLLOW_LINKS)).isTrue();
    assertThat(dir.resolve("10.1.2.6")).doesNotExist();
    Files.delete(dir.resolve("10.1.2.4"));
  }

  @Test
  void apipeInPlaceOfTheLastAddressIsRefused() {
    Command.of("mkfifo", dir().path().resolve("last_reserved_ip.0").toString()).run();

    assertThat(net().add().error().msg()).contains("last_reserved_ip.0: is not an ordinary file");
  }

  @Test
  void onlyTheUsualFormOfAnAddressIsTaken() {
    dir()
        .put("010.1.2.2", "x\r\neth0")
        .put("10.1.2.02", "x\r\neth0")
        .put("::ffff:10.1.2.2", "x\r\neth0")
        .put("10.1.2.2.bak", "x\r\neth0")
        .put("10.1.2.3", "no owner at all, but a file");

    assertThat(net().add().ok().at("/ips/0/address").asString()).isEqualTo("10.1.2.2/28");
    assertThat(net().container("b").add().ok().at("/ips/0/address").asString())
        .isEqualTo("10.1.2.4/28");
  }

  /** Like the Go plugin, whatever the name and wherever in the tree. */
  @Test
  void delRemovesEveryFileOfTheOwner() throws IOException {
    Path dir = dir().path();
    dir()
        .put("10.1.2.9", "ctr\r\neth0")
        .put("copy of it", "ctr\r\neth0\n")
        .put("b\u00e4r", "ctr\r\neth0")
        .put("two\nlines", "ctr\r\neth0")
        .put("10.1.2.8", "ctr\r\neth1")
        .put("10.1.2.7", "ctr\neth0")
        .put("last_reserved_ip.3", "ctr\r\neth0");
    Files.createDirectories(dir.resolve("a/b"));
    Files.writeString(dir.resolve("a/b/10.1.2.4"), "ctr\r\neth0");

    net().del().ok();

    assertThat(dir().files())
        .containsOnlyKeys("lock", "10.1.2.8", "10.1.2.7", "last_reserved_ip.3", "a/");
    assertThat(dir.resolve("a/b/10.1.2.4")).doesNotExist();
  }

  /** A subdirectory could change without the parent's times showing it. */
  @Test
  void subdirectoriesAreReadEveryTime() throws IOException {
    Path below = Files.createDirectory(dir().path().resolve("below"));
    net().add().ok();
    Files.writeString(below.resolve("10.1.2.9"), "late\r\neth0");

    assertThat(net().container("late").add().error().msg()).contains("10.1.2.9 has been allocated");
    net().container("late").del().ok();
    assertThat(below.resolve("10.1.2.9")).doesNotExist();
  }

  /** An id may look like an address; the Go plugin then removes the file of the last one. */
  @Test
  void anIdThatLooksLikeAnAddressReleasesNothingElse() {
    Ipam odd = net().container("10.1.2.2");
    odd.add().ok();
    odd.del().ok();
    odd.del().ok();

    assertThat(dir().files()).isEqualTo(Map.of("lock", "", "last_reserved_ip.0", "10.1.2.2"));
  }

  @Test
  void ahugeFileIsNotRead() throws IOException {
    Command.of("truncate", "-s", "10G", dir().path().resolve("10.1.2.2").toString()).run();

    assertThat(net().add().ok().at("/ips/0/address").asString()).isEqualTo("10.1.2.3/28");
    assertThat(Files.size(dir().path().resolve("10.1.2.2"))).isEqualTo(10L << 30);
  }

  @Test
  void alongIdIsAnIdLikeAnyOther() {
    String id = "x".repeat(60_000);
    net().container(id).add().ok();
    net().container(id).check().ok();
    net().container(id).del().ok();

    assertThat(dir().leases()).isEmpty();
    assertThat(net().container("x".repeat(1 << 17)).add().error().msg())
        .isEqualTo("containerID has 131072 characters, at most 131008 are possible");
  }

  @Test
  void whiteSpaceIsTrimmedAsGoDoes() {
    assertThat(
            List.of(
                LeaseFile.trim("\u0085\u00a0\u2003 a b\t\r\n"),
                LeaseFile.trim("\u001fa\u200b"),
                LeaseFile.trim(" \n")))
        .containsExactly("a b", "\u001fa\u200b", "");
  }
}
