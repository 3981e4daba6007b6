package io.ocicat.plugins.ptp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.plugins.TestIpam;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Upstream's scenarios and more, on the real kernel. */
@Hosts
class PtpPluginTest {
  private static final String BOTH =
      """
      {"ips": [{"address": "10.1.2.5/24", "gateway": "10.1.2.1"},
               {"address": "fd00:1::5/64", "gateway": "fd00:1::1"}],
       "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]}
      """;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0"})
  void addConnectsAndDelLeavesNothing(String version, Host host, Host pod) throws IOException {
    Attaching eth0 = Ptp.attaching(host, pod, directory, version, Ptp.V4);

    JsonNode result = eth0.add().ok();

    assertThat(result.path("cniVersion").asString()).isEqualTo(version);
    assertThat(result.toString()).contains("\"10.1.2.2/24\"", "\"10.1.2.1\"");
    pod.exec("ping", "-c1", "-W2", "10.1.2.1");
    host.exec("ping", "-c1", "-W2", "10.1.2.2");

    eth0.del().ok();
    assertThat(Ptp.traces(host)).isEmpty();
    assertThat(pod.json("ip", "-j", "link").size()).as("only lo is left").isEqualTo(1);
    assertThat(leases()).isEmpty();
    eth0.del().ok();
  }

  @Test
  void theContainerSendsEverythingToTheHost(Host host, Host pod) {
    JsonNode result = withBoth(host, pod).add().ok();
    String veth = result.at("/interfaces/0/name").asString();

    assertThat(veth).matches("veth[0-9a-f]{8}");
    assertThat(routes(pod, "-4"))
        .containsExactlyInAnyOrder(
            "default via 10.1.2.1 dev eth0",
            "10.1.2.1 dev eth0 scope link src 10.1.2.5",
            "10.1.2.0/24 via 10.1.2.1 dev eth0 src 10.1.2.5");
    assertThat(routes(pod, "-6"))
        .contains(
            "default via fd00:1::1 dev eth0 metric 1024 pref medium",
            "fd00:1::1 dev eth0 src fd00:1::5 metric 1024 pref medium",
            "fd00:1::/64 via fd00:1::1 dev eth0 src fd00:1::5 metric 1024 pref medium");
    assertThat(routes(host, "-4")).containsExactly("10.1.2.5 dev %s scope host".formatted(veth));
    assertThat(routes(host, "-6"))
        .contains("fd00:1::5 dev %s metric 1024 pref medium".formatted(veth));
    assertThat(host.exec("cat", "/proc/sys/net/ipv4/ip_forward").stdout().strip()).isEqualTo("1");
    assertThat(host.exec("cat", "/proc/sys/net/ipv6/conf/all/forwarding").stdout().strip())
        .isEqualTo("1");
  }

  @Test
  void nobodyWaitsForDuplicates(Host host, Host pod) {
    String veth = withBoth(host, pod).add().ok().at("/interfaces/0/name").asString();

    host.exec("ping", "-6", "-c1", "-W1", "fd00:1::5");
    pod.exec("ping", "-6", "-c1", "-W1", "fd00:1::1");
    assertThat(pod.exec("ip", "-6", "address", "show", "dev", "eth0").stdout())
        .doesNotContain("tentative");
    assertThat(host.exec("ip", "-6", "address", "show", "dev", veth).stdout())
        .doesNotContain("tentative");
  }

  @Test
  void theMtuIsThatOfBothEnds(Host host, Host pod) {
    JsonNode result = Ptp.attaching(host, pod, directory, "1.0.0", Ptp.V4).add().ok();
    String veth = result.at("/interfaces/0/name").asString();

    assertThat(pod.json("ip", "-j", "link", "show", "eth0").at("/0/mtu").asInt()).isEqualTo(1400);
    assertThat(host.json("ip", "-j", "link", "show", veth).at("/0/mtu").asInt()).isEqualTo(1400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"iptables\"", "\"nftables\"", "null"})
  void whateverBackEndIsAskedForItIsNfTables(String backEnd, Host host, Host pod) {
    Attaching eth0 = Ptp.with(withBoth(host, pod), "ipMasqBackend", CniJson.parse(backEnd));

    eth0.add().ok();

    assertThat(Ptp.traces(host)).anyMatch(trace -> trace.contains("10.1.2.5 comment"));
    assertThat(host.exec("nft", "list", "tables").stdout().strip())
        .isEqualTo("table inet ocicat_masquerade");
    eth0.del().ok();
    assertThat(Ptp.traces(host)).isEmpty();
  }

  @Test
  void dnsOfTheConfigurationReplacesThatOfIpam(Host host, Host pod) {
    TestIpam ipam =
        TestIpam.in(
            directory, BOTH.replace("\"routes\"", "\"dns\": {\"domain\": \"ipam\"}, \"routes\""));
    Attaching eth0 = ipam.with(Ptp.withTestIpam(host, pod));

    assertThat(addAndDel(eth0).path("dns")).isEqualTo(CniJson.parse("{\"domain\":\"ipam\"}"));
    assertThat(addAndDel(withDns(eth0, "{\"nameservers\":[\"10.1.2.3\"]}")).path("dns"))
        .isEqualTo(CniJson.parse("{\"nameservers\":[\"10.1.2.3\"]}"));
    assertThat(addAndDel(withDns(eth0, "{\"search\":[]}")).has("dns")).isFalse();
    assertThat(addAndDel(withDns(eth0, "{\"domain\":\"\"}")).path("dns"))
        .isEqualTo(CniJson.parse("{\"domain\":\"ipam\"}"));
  }

  @Test
  void severalAddressesMayShareAGatewayAndASubnet(Host host, Host pod) {
    TestIpam ipam =
        TestIpam.in(
            directory,
            """
            {"ips": [{"address": "10.1.2.5/24", "gateway": "10.1.2.1"},
                     {"address": "10.1.2.6/24", "gateway": "10.1.2.1"},
                     {"address": "10.9.9.9/32", "gateway": "169.254.1.1"}],
             "routes": [{"dst": "0.0.0.0/0"}, {"dst": "10.1.2.0/24"}]}
            """);
    Attaching eth0 = ipam.with(Ptp.withTestIpam(host, pod));
    JsonNode result = eth0.add().ok();

    for (String address : List.of("10.1.2.5", "10.1.2.6", "10.9.9.9")) {
      host.exec("ping", "-c1", "-W2", address);
    }
    pod.exec("ping", "-c1", "-W2", "10.1.2.1");
    Ptp.withPrevious(eth0, result).check().ok();
    eth0.del().ok();
    assertThat(Ptp.traces(host)).isEmpty();
  }

  @Test
  void anEarlierRouteToTheAddressGivesWay(Host host, Host pod, Host old) {
    TestIpam ipam = TestIpam.in(directory, BOTH);
    ipam.with(Ptp.withTestIpam(host, old)).add().ok();
    ipam.with(Ptp.withTestIpam(host, pod)).add().ok();
    pod.exec("ip", "address", "add", "10.77.0.1/32", "dev", "lo");

    assertThat(host.exec("ip", "route", "get", "10.1.2.5").stdout())
        .contains(peerOfEth0(host, pod));
  }

  @Test
  void aSecondAddIsRefusedAndTheFirstKeepsItsAddress(Host host, Host pod) throws IOException {
    Attaching eth0 = Ptp.attaching(host, pod, directory, "1.0.0", Ptp.V4);
    eth0.add().ok();

    assertThat(eth0.add().error().msg()).contains("\"eth0\"", "already exists");

    assertThat(leases()).containsExactly("10.1.2.2");
    pod.exec("ping", "-c1", "-W2", "10.1.2.1");
    eth0.with("CNI_IFNAME", "eth1").add().ok();
    eth0.del().ok();
    assertThat(leases()).containsExactly("10.1.2.3");
    pod.exec("ping", "-c1", "-W2", "-I", "eth1", "10.1.2.1");
  }

  @Test
  void delOfWhatIsGoneSucceeds(Host host, Host pod) {
    Attaching eth0 = withBoth(host, pod);

    eth0.del().ok();
    eth0.withNetns("").del().ok();
    eth0.withNetns("/run/netns/never").del().ok();
    eth0.withNetns("/etc/hostname").del().ok();
    assertThat(host.exec("nft", "list", "ruleset").stdout()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/run/netns/never", "/etc/hostname"})
  void delFindsTheVethOfANamespaceWithoutName(String netns, Host host, Host pod) {
    Attaching eth0 = withBoth(host, pod);
    JsonNode result = eth0.add().ok();
    Ptp.withPrevious(eth0, result).withNetns(netns).del().ok();
    assertThat(Ptp.traces(host)).isEmpty();

    eth0.add().ok();
    eth0.withNetns(netns).del().ok();
    assertThat(Ptp.traces(host)).isEmpty();
  }

  @Test
  void delTouchesNoVethOfAnother(Host host, Host pod, Host other) {
    TestIpam ipam = TestIpam.in(directory, BOTH);
    Attaching eth0 = ipam.with(Ptp.withTestIpam(host, pod));
    JsonNode result = eth0.add().ok();
    Attaching others = ipam.with(Ptp.withTestIpam(host, other));

    Ptp.withPrevious(others, result).withNetns("").del().ok();
    others.withNetns("").del().ok();

    assertThat(pod.json("ip", "-j", "link", "show", "eth0").at("/0/operstate").asString())
        .isEqualTo("UP");
  }

  @Test
  void delDoesTheRestWhenIpamFails(Host host, Host pod) {
    TestIpam ipam = TestIpam.in(directory, BOTH);
    Attaching eth0 = ipam.with(Ptp.withTestIpam(host, pod));
    eth0.add().ok();
    ipam.failOn("DEL");

    assertThat(eth0.del().error().msg()).contains("testipam was told to fail");
    assertThat(Ptp.traces(host)).isEmpty();
  }

  @Test
  void statusAsksIpam(Host host, Host pod) {
    TestIpam ipam = TestIpam.in(directory, BOTH);
    Attaching eth0 = ipam.with(Ptp.withTestIpam(host, pod));
    eth0.status().ok();
    ipam.failOn("STATUS");

    assertThat(eth0.status().error().msg()).contains("told to fail");
    assertThat(ipam.calls()).hasSize(2).allMatch(call -> call.startsWith("STATUS"));
  }

  @Test
  void gcRemovesWhatNobodyClaims(Host host, Host pod, Host gone) {
    TestIpam ipam = TestIpam.in(directory, BOTH);
    Attaching kept = ipam.with(Ptp.withTestIpam(host, pod));
    kept.add().ok();
    ipam.answer("{\"ips\": [{\"address\": \"10.1.2.6/24\", \"gateway\": \"10.1.2.1\"}]}");
    ipam.with(Ptp.withTestIpam(host, gone)).add().ok();
    List<String> both = Ptp.traces(host);

    kept.gc().ok();
    assertThat(Ptp.traces(host)).as("nothing is known to be stale").isEqualTo(both);
    assertThat(ipam.calls()).noneMatch(call -> call.startsWith("GC"));

    Ptp.with(
            kept,
            "cni.dev/valid-attachments",
            CniJson.parse("[{\"containerID\":\"%s\",\"ifname\":\"eth0\"}]".formatted(pod.name())))
        .gc()
        .ok();
    assertThat(ipam.calls()).anyMatch(call -> call.startsWith("GC"));
    assertThat(Ptp.traces(host)).noneMatch(trace -> trace.contains(gone.name())).hasSize(5);
    host.exec("ping", "-c1", "-W2", "10.1.2.5");

    Ptp.with(kept, "cni.dev/valid-attachments", CniJson.parse("[]")).gc().ok();
    assertThat(Ptp.traces(host)).isEmpty();
  }

  @Test
  void theResultIsThatOfTheOriginal(Host host, Host pod) {
    Attaching eth0 = Ptp.attaching(host, pod, directory, "1.0.0", Ptp.V4, Ptp.V6);
    JsonNode go = withoutChance(eth0.by(Side.GO).add().ok());
    eth0.by(Side.GO).del().ok();
    JsonNode ours = withoutChance(eth0.add().ok());

    // host-local hands out one after the other.
    assertThat(ours.toString())
        .isEqualTo(go.toString().replace(".2/24", ".3/24").replace("::2/64", "::3/64"));
  }

  /**
   * And without what Debian's Go plugin prints for absent DNS settings, against the specification.
   */
  private static JsonNode withoutChance(JsonNode result) {
    return CniJson.parse(
        result
            .toString()
            .replace(",\"dns\":{}", "")
            .replaceAll("veth[0-9a-f]{8}", "veth")
            .replaceAll("(..:){5}..", "mac"));
  }

  private Attaching withBoth(Host host, Host pod) {
    return TestIpam.in(directory, BOTH).with(Ptp.withTestIpam(host, pod));
  }

  private static Attaching withDns(Attaching eth0, String dns) {
    return Ptp.with(eth0, "dns", CniJson.parse(dns));
  }

  private static JsonNode addAndDel(Attaching eth0) {
    JsonNode result = eth0.add().ok();
    eth0.del().ok();
    return result;
  }

  private static String peerOfEth0(Host host, Host pod) {
    int index = pod.json("ip", "-j", "link", "show", "eth0").at("/0/link_index").asInt();
    return Ptp.elements(host.json("ip", "-j", "link"))
        .filter(link -> link.path("ifindex").asInt() == index)
        .findFirst()
        .orElseThrow()
        .path("ifname")
        .asString();
  }

  private static List<String> routes(Host host, String family) {
    return host.exec("ip", family, "route").stdout().lines().map(String::strip).toList();
  }

  private List<String> leases() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("mynet"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> Character.isDigit(name.charAt(0)) || name.contains(":"))
          .sorted()
          .toList();
    }
  }
}
