package io.ocicat.plugins.hostlocal;

import static io.ocicat.plugins.Side.GO;
import static io.ocicat.plugins.Side.OURS;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Ipam;
import io.ocicat.plugins.Ran;
import io.ocicat.plugins.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Upstream's tests of the whole plugin, and more; files are compared exactly. */
class HostLocalPluginTest {
  private static final String DUAL =
      "\"ranges\":[[{\"subnet\":\"10.1.2.0/24\"},{\"subnet\":\"10.2.2.0/24\"}],"
          + "[{\"subnet\":\"2001:db8:1::0/64\"}]],"
          + "\"routes\":[{\"dst\":\"0.0.0.0/0\"},{\"dst\":\"::/0\"},"
          + "{\"dst\":\"192.168.0.0/16\",\"gw\":\"1.1.1.1\"}]";

  @TempDir Path tmp;

  private Ipam net(String ipam) {
    return net("1.0.0", "mynet", ipam);
  }

  private Ipam net(String version, String name, String ipam) {
    return Ipam.of(
        "host-local",
        "{\"cniVersion\":\"%s\",\"name\":\"%s\",\"type\":\"bridge\",\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"%s\",%s}}"
            .formatted(version, name, tmp, ipam));
  }

  private NetworkDir dir() {
    return new NetworkDir(tmp.resolve("mynet"));
  }

  @ParameterizedTest
  @EnumSource(Side.class)
  void addLeasesOneAddressOfEachSetAndDelReleasesThem(Side side) {
    Ipam net = net(DUAL).by(side);

    JsonNode result = net.add().ok();

    assertThat(result.at("/ips").toString())
        .isEqualTo(
            "[{\"address\":\"10.1.2.2/24\",\"gateway\":\"10.1.2.1\"},"
                + "{\"address\":\"2001:db8:1::2/64\",\"gateway\":\"2001:db8:1::1\"}]");
    assertThat(dir().files())
        .isEqualTo(
            Map.of(
                "lock", "",
                "10.1.2.2", "ctr\r\neth0",
                "2001:db8:1::2", "ctr\r\neth0",
                "last_reserved_ip.0", "10.1.2.2",
                "last_reserved_ip.1", "2001:db8:1::2"));

    net.del().ok();
    assertThat(dir().files())
        .isEqualTo(
            Map.of(
                "lock", "",
                "last_reserved_ip.0", "10.1.2.2",
                "last_reserved_ip.1", "2001:db8:1::2"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.3.0", "0.3.1", "0.4.0", "1.0.0"})
  void theResultIsThatOfTheOriginal(String version) {
    Ipam net = net(version, "mynet", DUAL);
    JsonNode go = net.by(GO).add().ok();
    net.by(GO).del().ok();
    dir().remove("last_reserved_ip.0");
    dir().remove("last_reserved_ip.1");

    if (version.equals("1.0.0")) {
      // Debian's original says "dns":{} in 1.0.0, which later ones leave out as we do.
      ((ObjectNode) go).remove("dns");
    }
    assertThat(net.add().ok()).isEqualTo(go);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0"})
  void anOldResultIsThatOfTheOriginal(String version) {
    Ipam net =
        net(
            version,
            "mynet",
            "\"subnet\":\"10.1.2.0/24\",\"ranges\":[[{\"subnet\":\"fd00::/112\"}]],\"routes\":[{\"dst\":\"0.0.0.0/0\"}]");
    JsonNode go = net.by(GO).add().ok();
    net.by(GO).del().ok();
    dir().remove("last_reserved_ip.0");
    dir().remove("last_reserved_ip.1");

    assertThat(net.add().ok()).isEqualTo(go);
  }

  @Test
  void theNewestVersionIsServed() {
    JsonNode result = net("1.1.0", "mynet", "\"subnet\":\"10.1.2.0/24\"").add().ok();

    assertThat(result.path("cniVersion").asString()).isEqualTo("1.1.0");
    assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.1.2.2/24");
  }

  @Test
  void filesAreAsPrivateAsTheOriginals() throws IOException {
    net(DUAL).add().ok();

    assertThat(permissions("")).isEqualTo("rwxr-xr-x");
    assertThat(permissions("10.1.2.2")).isEqualTo("rw-------");
    assertThat(permissions("last_reserved_ip.0")).isEqualTo("rw-------");
    assertThat(Files.getAttribute(dir().path().resolve("10.1.2.2"), "unix:nlink")).isEqualTo(1);
  }

  private String permissions(String name) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(dir().path().resolve(name)));
  }

  @Test
  void nothingIsSaidOnStderrWhenAnetworkIsNew() {
    Ran ran = net(DUAL).add();

    ran.ok();
    assertThat(ran.stderr()).isEmpty();
  }

  @Test
  void networksAndInterfacesAreApart() {
    Ipam one = net("1.0.0", "one", "\"subnet\":\"10.1.2.0/24\"");
    Ipam two = net("1.0.0", "two", "\"subnet\":\"10.2.2.0/24\"").with("CNI_IFNAME", "eth1");
    one.add().ok();
    two.add().ok();
    one.with("CNI_IFNAME", "eth1").add().ok();

    one.del().ok();

    assertThat(new NetworkDir(tmp.resolve("one")).leases())
        .isEqualTo(Map.of("10.1.2.3", "ctr\r\neth1"));
    assertThat(new NetworkDir(tmp.resolve("two")).leases())
        .isEqualTo(Map.of("10.2.2.2", "ctr\r\neth1"));
  }

  @ParameterizedTest
  @CsvSource({"GO, OURS", "OURS, GO", "OURS, OURS"})
  void asecondAddOfTheSameContainerIsRefused(Side first, Side second) {
    Ipam net = net("\"subnet\":\"10.1.2.0/24\"");
    net.by(first).add().ok();

    assertThat(net.by(second).add().error().msg())
        .isEqualTo(
            "failed to allocate for range 0: 10.1.2.2 has been allocated to ctr, duplicate"
                + " allocation is not allowed");
    assertThat(net.container("other").by(second).add().ok().at("/ips/0/address").asString())
        .isEqualTo("10.1.2.3/24");
    assertThat(dir().leases()).containsKeys("10.1.2.2", "10.1.2.3").hasSize(2);
  }

  /** The Go plugin releases the first ADD's address when the second fails on a later range set. */
  @Test
  void afailedAddReleasesOnlyWhatItLeasedItself() {
    Ipam net = net(DUAL);
    net.add().ok();
    dir().remove("10.1.2.2");

    assertThat(net.add().error().msg())
        .startsWith("failed to allocate for range 1: 2001:db8:1::2 has been allocated to ctr");
    assertThat(dir().leases()).isEqualTo(Map.of("2001:db8:1::2", "ctr\r\neth0"));
  }

  @ParameterizedTest
  @EnumSource(Side.class)
  void filesOfOldVersionsAreReleasedWhenThereAreNoNewOnes(Side side) {
    Ipam net = net("\"subnet\":\"10.1.2.0/24\"").by(side);
    dir().put("10.1.2.9", "ctr").put("10.1.2.10", " ctr \n").put("10.1.2.11", "ctr\r\neth0\n");

    net.del().ok();
    assertThat(dir().leases()).containsOnlyKeys("10.1.2.9", "10.1.2.10");
    net.del().ok();
    assertThat(dir().leases()).isEmpty();
  }

  @Test
  void delOfAnUnknownContainerSucceedsAndMakesTheDirectory() {
    net(DUAL).del().ok();

    assertThat(dir().files()).isEqualTo(Map.of("lock", ""));
  }

  @Test
  void dnsComesFromTheNamedFile() throws IOException {
    Path resolvConf = tmp.resolve("resolv.conf");
    Files.writeString(resolvConf, "nameserver 192.0.2.3\nsearch a.example b.example\n");
    Ipam net = net("\"subnet\":\"10.1.2.0/24\",\"resolvConf\":\"%s\"".formatted(resolvConf));

    assertThat(net.add().ok().path("dns").toString())
        .isEqualTo("{\"nameservers\":[\"192.0.2.3\"],\"search\":[\"a.example\",\"b.example\"]}");

    Files.delete(resolvConf);
    assertThat(net.container("other").add().error().msg())
        .isEqualTo(
            "cannot read ipam.resolvConf: %s: no such file or directory".formatted(resolvConf));
    assertThat(dir().leases()).hasSize(1);
  }

  @Test
  void leasingGoesOnBehindTheLastAddressAndRoundAgain() {
    Ipam net = net("\"subnet\":\"10.1.2.0/29\"");

    for (String expected : new String[] {"2", "3", "4", "5", "6", "2", "3"}) {
      assertThat(net.add().ok().at("/ips/0/address").asString())
          .isEqualTo("10.1.2." + expected + "/29");
      net.del().ok();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "nonsense", "10.9.9.9", "10.1.2.4\n", "10.1.2.004"})
  void alastAddressThatMakesNoSenseMeansTheStart(String last) {
    dir().put("last_reserved_ip.0", last);
    Ipam net = net("\"subnet\":\"10.1.2.0/29\"");

    assertThat(net.add().ok().at("/ips/0/address").asString()).isEqualTo("10.1.2.2/29");
    net.del().ok();
    dir().put("last_reserved_ip.0", last);
    assertThat(net.by(GO).add().ok().at("/ips/0/address").asString()).isEqualTo("10.1.2.2/29");
  }

  @ParameterizedTest
  @EnumSource(Side.class)
  void afullSetSaysSo(Side side) {
    Ipam net =
        net(
            "\"ranges\":[[{\"subnet\":\"10.1.2.0/30\"},{\"subnet\":\"10.1.3.0/29\",\"rangeStart\":\"10.1.3.5\"}]]");
    for (int i = 0; i < 3; i++) {
      net.container("c" + i).add().ok();
    }

    assertThat(net.by(side).add().error().msg())
        .isEqualTo(
            "failed to allocate for range 0: no IP addresses available in range set:"
                + " 10.1.2.1-10.1.2.2,10.1.3.5-10.1.3.6");
    net.container("c1").by(OURS).del().ok();
    net.by(side).add().ok();
  }

  @Test
  void exhaustionIsForTheRuntimeToTryAgain() {
    Ipam net = net("\"subnet\":\"10.1.2.0/30\"");
    net.add().ok();

    assertThat(net.container("other").add().error().code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(dir().leases()).hasSize(1);
  }

  /** The Go plugin leaves the lease behind. */
  @Test
  void aleaseThatCannotBeRememberedAsTheLastIsTakenBack() throws IOException {
    Files.createDirectories(dir().path().resolve("last_reserved_ip.0"));
    Ipam net = net("\"subnet\":\"10.1.2.0/29\"");

    assertThat(net.add().error().msg())
        .isEqualTo(
            "failed to allocate for range 0: cannot lease 10.1.2.2 in %s:".formatted(dir().path())
                + " %s: is not an ordinary file"
                    .formatted(dir().path().resolve("last_reserved_ip.0")));
    assertThat(dir().leases()).isEmpty();
  }

  @Test
  void aleaseThatCannotBeWrittenLeavesNothing() throws IOException {
    Path inTheWay = dir().path().resolve(LeaseFile.DRAFT).resolve("not empty");
    Files.createDirectories(inTheWay);
    Ipam net = net("\"subnet\":\"10.1.2.0/29\"");

    for (int i = 0; i < 5; i++) {
      assertThat(net.add().error().msg())
          .startsWith("failed to allocate for range 0: cannot lease 10.1.2.2 in " + dir().path());
      net.del().ok();
    }
    assertThat(dir().leases()).containsOnlyKeys(LeaseFile.DRAFT + "/");
    Files.delete(inTheWay);
    net.add().ok();
    assertThat(dir().leases()).containsOnlyKeys("10.1.2.2");
  }

  /** When the second set fails, the first set's lease is released and the rest stays. */
  @Test
  void afailureOnALaterSetTakesTheEarlierLeaseBack() throws IOException {
    Ipam net = net(DUAL);
    net.container("other").add().ok();
    dir().remove("last_reserved_ip.1");
    Files.createDirectories(dir().path().resolve("last_reserved_ip.1"));
    Map<String, String> before = dir().leases();

    for (int i = 0; i < 5; i++) {
      assertThat(net.add().error().code()).isEqualTo(ErrorCode.IO_FAILURE);
      assertThat(dir().leases()).isEqualTo(before);
    }
    net.del().ok();
    assertThat(dir().leases()).isEqualTo(before);
  }

  @Test
  void adataDirectoryThatCannotBeIsNamed() {
    Ipam net = net("\"subnet\":\"10.1.2.0/29\"");
    assertThat(
            net.withConfig(net.config().replace(tmp.toString(), "/proc/none")).add().error().msg())
        .startsWith("cannot open the leases in /proc/none/mynet: /proc/none");
  }
}
