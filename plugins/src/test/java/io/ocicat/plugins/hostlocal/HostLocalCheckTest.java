package io.ocicat.plugins.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Ipam;
import io.ocicat.plugins.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** CHECK, GC, STATUS, and DEL with a configuration that became invalid. */
class HostLocalCheckTest {
  @TempDir Path tmp;

  private Ipam net(String more) {
    return net("\"ranges\":[[{\"subnet\":\"10.1.2.0/29\"}],[{\"subnet\":\"fd00::/126\"}]]", more);
  }

  private Ipam net(String ranges, String more) {
    return Ipam.of(
        "host-local",
        "{\"cniVersion\":\"1.1.0\",\"name\":\"mynet\",\"type\":\"bridge\",\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"%s\",%s}%s}"
            .formatted(tmp, ranges, more));
  }

  private static String previous(String... addresses) {
    StringBuilder ips = new StringBuilder();
    for (String address : addresses) {
      ips.append(ips.isEmpty() ? "" : ",").append("{\"address\":\"").append(address).append("\"}");
    }
    return ",\"prevResult\":{\"cniVersion\":\"1.1.0\",\"ips\":[" + ips + "]}";
  }

  private NetworkDir dir() {
    return new NetworkDir(tmp.resolve("mynet"));
  }

  @ParameterizedTest
  @CsvSource({"GO", "OURS"})
  void checkPassesWhileTheLeasesAreThere(Side side) {
    Ipam net = net("");
    net.withConfig(net.config().replace("1.1.0", "1.0.0")).by(side).add().ok();

    net.check().ok();
    net(previous("10.1.2.2/29", "fd00::2/126", "192.168.7.7/24")).check().ok();
  }

  @Test
  void checkPassesForAleaseOfAnOldVersion() {
    dir().put("10.1.2.2", "ctr");

    net(previous("10.1.2.2/29")).check().ok();
  }

  @Test
  void checkMissesAcontainerWithoutAlease() {
    net("").container("other").add().ok();

    assertThat(net("").check().error().msg())
        .isEqualTo("host-local: Failed to find address added by container ctr");
  }

  @Test
  void checkMissesAnAddressOfThePreviousResult() {
    net("").add().ok();
    dir().remove("fd00::2");

    CniException gone = net(previous("10.1.2.2/29", "fd00::2/126")).check().error();
    assertThat(gone.msg())
        .isEqualTo(
            "host-local: address fd00::2 of the previous result is not leased to ctr (eth0)");
    assertThat(gone.details()).contains("leased to nobody");

    dir().put("fd00::2", "thief\r\neth0");
    assertThat(net(previous("fd00::2/126")).check().error().details())
        .isEqualTo("it is leased to thief (eth0)");
  }

  @Test
  void gcReleasesWhatBelongsToNobodyAnyMore() {
    for (String id : new String[] {"a", "b"}) {
      net("").container(id).add().ok();
    }
    dir().put("10.1.2.6", "b\r\neth1");

    net(",\"cni.dev/valid-attachments\":[{\"containerID\":\"b\",\"ifname\":\"eth0\"}]").gc().ok();

    assertThat(dir().leases()).containsOnlyKeys("10.1.2.3", "fd00::3");
    assertThat(dir().files()).containsKeys("lock", "last_reserved_ip.0", "last_reserved_ip.1");
  }

  @Test
  void gcKeepsAleaseOfAnOldVersionAsLongAsItsContainerLives() {
    dir().put("10.1.2.2", "a").put("10.1.2.3", "b ").put("10.1.2.4", "b\r\neth9");

    net(",\"cni.dev/valid-attachments\":[{\"containerID\":\"b\",\"ifname\":\"eth0\"}]").gc().ok();

    assertThat(dir().leases()).containsOnlyKeys("10.1.2.3");
  }

  @Test
  void gcLeavesAloneWhatIsNoLease() throws IOException {
    dir()
        .put("10.1.2.2", "kept for the printer")
        .put("notes", "gone\r\neth0")
        .put("last_reserved_ip.0", "10.1.2.3")
        .put("last_reserved_ip.7", "gone\r\neth0");
    Files.createDirectories(dir().path().resolve("old"));
    Files.writeString(dir().path().resolve("old").resolve("10.1.2.9"), "gone\r\neth0");

    net(",\"cni.dev/valid-attachments\":[]").gc().ok();

    assertThat(dir().files())
        .containsOnlyKeys(
            "10.1.2.2", "notes", "last_reserved_ip.0", "last_reserved_ip.7", "old/", "lock");
    assertThat(dir().path().resolve("old").resolve("10.1.2.9")).exists();
  }

  @Test
  void gcThatIsNotToldWhoLivesCollectsNothing() {
    net("").add().ok();

    net("").gc().ok();

    assertThat(dir().leases()).hasSize(2);
  }

  @Test
  void gcOfNobodyCollectsEverything() {
    net("").add().ok();

    net(",\"cni.dev/valid-attachments\":[]").gc().ok();

    assertThat(dir().leases()).isEmpty();
  }

  @Test
  void statusIsFineWhileThereAreAddresses() {
    net("").status().ok();
    net("").add().ok();
    net("").status().ok();
  }

  /** The runtime passes ranges on ADD only. */
  @Test
  void statusNeedsNoRanges() {
    net("\"routes\":[]", "").status().ok();
  }

  @Test
  void statusTellsThatAsetIsFull() {
    net("").container("a").add().ok();
    net("").container("b").add().ok();

    CniException full = net("").status().error();
    assertThat(full.code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    assertThat(full.msg()).isEqualTo("no IP addresses available in range set: fd00::1-fd00::3");
  }

  @Test
  void statusTellsThatTheDirectoryCannotBe() throws IOException {
    Files.writeString(tmp.resolve("mynet"), "a file");

    CniException broken = net("").status().error();
    assertThat(broken.code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    assertThat(broken.msg()).startsWith("cannot open the leases in " + dir().path());
  }

  /** The Go plugin does not even look for the lease; we release it and then report the mistake. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"ranges\":[[{\"subnet\":\"10.1.2.0/31\"}]]",
        "\"subnet\":\"nonsense\"",
        "\"ranges\":[[{\"subnet\":\"10.1.2.0/24\"}],[{\"subnet\":\"10.1.2.0/29\"}]]",
      })
  void delWithAconfigurationThatBecameWrongKeepsNoAddress(String ranges) {
    net("").add().ok();

    assertThat(net(ranges, "").del().error().code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(dir().leases()).isEmpty();
  }

  @Test
  void delNeedsNoRangesAndNoArgs() {
    net("").add().ok();

    net("\"routes\":[]", "").with("CNI_ARGS", "garbage").del().ok();

    assertThat(dir().leases()).isEmpty();
  }

  @Test
  void addNeedsRanges() {
    CniException refusal = net("\"routes\":[]", "").add().error();

    assertThat(refusal.msg()).isEqualTo("no IP ranges specified");
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
  }

  @Test
  void newDirectoriesAreForEveryoneToRead() throws IOException {
    net("").check().error();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir().path())))
        .isEqualTo("rwxr-xr-x");
  }
}
