package io.ocicat.plugins.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What ADD creates and DEL removes. */
@Hosts
class BridgePluginTest {
  private static final String V4 = "10.1.2.0/24";
  private static final String V6 = "2001:db8:1::/64";
  private static final String OTHER_V6 = "2001:db8:2::/64";

  @TempDir Path leases;

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"})
  void everyVersionAttachesAndDetaches(String version, Host host, Host pod) {
    Attaching eth0 =
        BridgeNetwork.on(host)
            .version(version)
            .with("isDefaultGateway", true)
            .addresses(leases, V4, V6)
            .attach(pod);

    JsonNode result = eth0.add().ok();

    assertThat(result.path("cniVersion").asString()).isEqualTo(version);
    if (version.startsWith("0.1") || version.startsWith("0.2")) {
      assertThat(result.at("/ip4/ip").asString()).isEqualTo("10.1.2.2/24");
      assertThat(result.at("/ip4/gateway").asString()).isEqualTo("10.1.2.1");
      assertThat(result.at("/ip6/routes/0/dst").asString()).isEqualTo("::/0");
    } else {
      assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.1.2.2/24");
      assertThat(result.at("/ips/1/gateway").asString()).isEqualTo("2001:db8:1::1");
      assertThat(result.path("ips").values()).allMatch(ip -> ip.path("interface").asInt() == 2);
      assertThat(interfaceNames(result)).startsWith("br0").endsWith("eth0").hasSize(3);
      assertThat(result.at("/interfaces/1/name").asString()).matches("veth[0-9a-f]{8}");
      assertThat(result.at("/interfaces/2/sandbox").asString()).isEqualTo(pod.path().toString());
      assertThat(List.of(0, 1, 2))
          .extracting(i -> result.at("/interfaces/" + i + "/mac").asString())
          .doesNotHaveDuplicates()
          .allMatch(mac -> mac.length() == 17);
    }
    assertThat(addresses(host, "br0")).contains("10.1.2.1/24", "2001:db8:1::1/64");
    assertThat(addresses(pod, "eth0")).contains("10.1.2.2/24", "2001:db8:1::2/64");
    assertThat(defaultRoutes(pod, "-4")).containsExactly("10.1.2.1");
    assertThat(defaultRoutes(pod, "-6")).containsExactly("2001:db8:1::1");
    pod.exec("ping", "-c1", "-W2", "10.1.2.1");
    pod.exec("ping", "-c1", "-W2", "2001:db8:1::1");

    eth0.del().ok();

    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
    assertThat(pod.tryExec("ip", "link", "show", "eth0").succeeded()).isFalse();
    eth0.del().ok();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.2.0", "0.3.1", "1.1.0"})
  void threeSubnetsAreThreeAddresses(String version, Host host, Host pod) {
    Attaching eth0 =
        BridgeNetwork.on(host)
            .version(version)
            .with("isDefaultGateway", true)
            .addresses(leases, V4, V6, OTHER_V6)
            .attach(pod);
    if (version.equals("0.2.0")) {
      String limit = "CNI version 0.2.0 does not support more than 1 address per family";
      assertThat(eth0.add().error().msg()).contains(limit);
      assertThat(eth0.del().error().msg()).contains(limit);
      assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
      return;
    }

    JsonNode result = eth0.add().ok();

    assertThat(result.path("ips").size()).isEqualTo(3);
    assertThat(addresses(host, "br0"))
        .contains("10.1.2.1/24", "2001:db8:1::1/64", "2001:db8:2::1/64");
    assertThat(defaultRoutes(pod, "-6")).containsExactly("2001:db8:1::1");
    eth0.del().ok();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"})
  void withoutIpamThereIsOnlyAVeth(String version, Host host, Host pod) {
    Attaching eth0 = BridgeNetwork.on(host).version(version).attach(pod);
    if (version.startsWith("0.1") || version.startsWith("0.2")) {
      assertThat(eth0.add().error().msg()).contains("no valid IP");
      assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
      assertThat(pod.json("ip", "-j", "link").size()).isEqualTo(1);
      return;
    }

    JsonNode result = eth0.add().ok();

    assertThat(result.path("interfaces").size()).isEqualTo(3);
    assertThat(result.has("ips")).isFalse();
    assertThat(link(pod, "eth0").path("operstate").asString()).isEqualTo("UP");
    String port = result.at("/interfaces/1/name").asString();
    assertThat(link(host, port).path("operstate").asString()).isEqualTo("UP");
    assertThat(link(host, port).path("master").asString()).isEqualTo("br0");
    assertThat(link(host, port).at("/linkinfo/info_slave_data/state").asString())
        .isEqualTo("forwarding");
    eth0.del().ok();
    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
  }

  @Test
  void aBridgeThatIsThereIsUsedAsItIs(Host host, Host pod) {
    host.exec("ip", "link", "add", "br0", "mtu", "1400", "type", "bridge");
    int index = link(host, "br0").path("ifindex").asInt();

    BridgeNetwork.on(host).with("mtu", 5000).attach(pod).add().ok();

    assertThat(link(host, "br0").path("ifindex").asInt()).isEqualTo(index);
    assertThat(link(host, "br0").path("flags").toString()).contains("\"UP\"");
  }

  /** From a bridge without a configured one: it uses the lowest of its ports'. */
  @Test
  void theResultHasTheBridgesAddressOfNow(Host host, Host pod) {
    host.exec("ip", "link", "add", "br0", "type", "bridge");
    BridgeNetwork network = BridgeNetwork.on(host);

    JsonNode first = network.attach(pod).add().ok();
    String taken = first.at("/interfaces/1/mac").asString();
    assertThat(first.at("/interfaces/0/mac").asString()).isEqualTo(taken);
    assertThat(link(host, "br0").path("address").asString()).isEqualTo(taken);

    String port = first.at("/interfaces/1/name").asString();
    host.exec("ip", "link", "set", port, "address", "02:00:00:00:00:05");
    JsonNode second = network.attach(pod).with("CNI_IFNAME", "eth1").add().ok();
    assertThat(second.at("/interfaces/0/mac").asString()).isEqualTo("02:00:00:00:00:05");
    assertThat(link(host, "br0").path("address").asString()).isEqualTo("02:00:00:00:00:05");
  }

  @Test
  void aNewBridgeHasWhatTheConfigurationSays(Host host, Host pod) {
    JsonNode result =
        BridgeNetwork.on(host).with("mtu", 5000).with("promiscMode", true).attach(pod).add().ok();

    JsonNode bridge = link(host, "br0");
    assertThat(bridge.path("mtu").asInt()).isEqualTo(5000);
    assertThat(bridge.path("flags").toString()).contains("PROMISC");
    assertThat(bridge.at("/linkinfo/info_data/vlan_filtering").asInt()).isZero();
    assertThat(link(pod, "eth0").path("mtu").asInt()).isEqualTo(5000);
    assertThat(link(host, result.at("/interfaces/1/name").asString()).path("mtu").asInt())
        .isEqualTo(5000);
    assertThat(host.exec("cat", "/proc/sys/net/ipv6/conf/br0/accept_ra").stdout().strip())
        .isEqualTo("0");
  }

  @Test
  void withoutANameItIsCni0(Host host, Host pod) {
    BridgeNetwork.on(host).without("bridge").attach(pod).add().ok();

    assertThat(link(host, "cni0").at("/linkinfo/info_kind").asString()).isEqualTo("bridge");
  }

  @Test
  void aLinkOfThatNameThatIsNoBridgeIsRefused(Host host, Host pod) {
    host.exec("ip", "link", "add", "br0", "type", "veth", "peer", "name", "other");

    CniException error = BridgeNetwork.on(host).attach(pod).add().error();

    assertThat(error.msg()).isEqualTo("\"br0\" already exists but is not a bridge");
    assertThat(error.details()).contains("of kind veth");
  }

  @Test
  void theBridgesAddressDoesNotMoveWhileContainersComeAndGo(Host host, Host pod) {
    Attaching eth0 = BridgeNetwork.on(host).attach(pod);
    JsonNode first = eth0.add().ok();
    String mac = link(host, "br0").path("address").asString();
    assertThat(first.at("/interfaces/0/mac").asString()).isEqualTo(mac);

    for (String lowest : List.of("02:00:00:00:00:01", "02:00:00:00:00:02")) {
      eth0.del().ok();
      JsonNode again = eth0.add().ok();
      String port = again.at("/interfaces/1/name").asString();
      host.exec("ip", "link", "set", port, "address", lowest);
      assertThat(link(host, "br0").path("address").asString()).isEqualTo(mac);
    }
    eth0.del().ok();
    assertThat(link(host, "br0").path("address").asString()).isEqualTo(mac);
  }

  /** Like the Go plugin: from the moment it is a gateway. */
  @Test
  void aBridgeOfOthersKeepsItsAddressOnceItIsAGateway(Host host, Host pod) {
    host.exec("ip", "link", "add", "br0", "type", "bridge");
    String mac = link(host, "br0").path("address").asString();
    Attaching eth0 =
        BridgeNetwork.on(host)
            .version("1.0.0")
            .with("isGateway", true)
            .addresses(leases, V4)
            .attach(pod);

    JsonNode result = eth0.add().ok();

    assertThat(link(host, "br0").path("address").asString()).isEqualTo(mac);
    assertThat(result.at("/interfaces/0/mac").asString()).isEqualTo(mac);
    eth0.del().ok();
    assertThat(link(host, "br0").path("address").asString()).isEqualTo(mac);
  }

  @Test
  void anotherAddOfTheSameInterfaceIsRefusedAndHarmsNothing(Host host, Host pod) {
    Attaching eth0 =
        BridgeNetwork.on(host)
            .version("1.0.0")
            .with("isGateway", true)
            .with("macspoofchk", true)
            .addresses(leases, V4)
            .attach(pod);
    eth0.add().ok();
    Left before = Left.on(host, leases);

    assertThat(eth0.add().error().msg()).isEqualTo("container veth name (\"eth0\") already exists");

    assertThat(Left.on(host, leases)).isEqualTo(before);
    assertThat(before.leases()).containsExactly("10.1.2.2");
    pod.exec("ping", "-c1", "-W2", "10.1.2.1");
  }

  /** The Go plugin installs it twice, and fails. */
  @Test
  void aDefaultRouteOfIpamWithoutGatewayIsTheDefaultRoute(Host host, Host pod) {
    Attaching eth0 =
        BridgeNetwork.on(host)
            .version("1.0.0")
            .with("isDefaultGateway", true)
            .addresses(leases, V4)
            .route("{\"dst\":\"0.0.0.0/0\"}")
            .attach(pod);

    JsonNode result = eth0.add().ok();

    assertThat(result.path("routes").size()).isEqualTo(1);
    assertThat(defaultRoutes(pod, "-4")).containsExactly("10.1.2.1");
  }

  @Test
  void aGatewayForwards(Host host, Host pod) {
    host.exec("sh", "-c", "echo 0 > /proc/sys/net/ipv4/ip_forward");
    BridgeNetwork.on(host)
        .version("1.0.0")
        .with("isGateway", true)
        .addresses(leases, V4, V6)
        .attach(pod)
        .add()
        .ok();

    assertThat(host.exec("cat", "/proc/sys/net/ipv4/ip_forward").stdout()).isEqualTo("1\n");
    assertThat(host.exec("cat", "/proc/sys/net/ipv6/conf/all/forwarding").stdout())
        .isEqualTo("1\n");
    assertThat(defaultRoutes(pod, "-4")).as("isGateway alone").isEmpty();
  }

  @Test
  void withoutGatewayTheBridgeHasNoAddress(Host host, Host pod) {
    JsonNode result =
        BridgeNetwork.on(host).version("1.0.0").addresses(leases, V4).attach(pod).add().ok();

    assertThat(result.at("/ips/0/gateway").asString()).as("host-local's own").isEqualTo("10.1.2.1");
    assertThat(host.exec("ip", "-4", "address", "show", "dev", "br0").stdout())
        .doesNotContain("inet ");
  }

  @Test
  void ipv6AddressesAreUsableAtOnce(Host host, Host pod) {
    BridgeNetwork.on(host)
        .version("1.0.0")
        .with("isGateway", true)
        .addresses(leases, V6)
        .attach(pod)
        .add()
        .ok();

    assertThat(pod.exec("ip", "-6", "address", "show", "dev", "eth0", "scope", "global").stdout())
        .contains("2001:db8:1::2/64")
        .doesNotContain("tentative");
    assertThat(host.exec("ip", "-6", "address", "show", "dev", "br0", "scope", "global").stdout())
        .doesNotContain("tentative");
    assertThat(pod.exec("cat", "/proc/sys/net/ipv4/conf/eth0/arp_notify").stdout())
        .isEqualTo("1\n");
    assertThat(pod.exec("cat", "/proc/sys/net/ipv6/conf/eth0/accept_dad").stdout())
        .isEqualTo("0\n");
  }

  /** As container runtimes create them that do not use IPv6. */
  @Test
  void aContainerWithIpv6OffGetsItsAddress(Host host, Host pod) {
    for (String which : List.of("all", "default", "lo")) {
      pod.exec("sysctl", "-qw", "net.ipv6.conf.%s.disable_ipv6=1".formatted(which));
    }

    BridgeNetwork.on(host).version("1.0.0").addresses(leases, V6).attach(pod).add().ok();

    assertThat(addresses(pod, "eth0")).contains("2001:db8:1::2/64");
  }

  @Test
  void theMacComesFromThreePlacesTheLastCountsMost(Host host, Host pod) {
    BridgeNetwork network = BridgeNetwork.on(host);
    String fromEnvironment = "c2:11:22:33:44:55";
    String fromArgs = "c2:11:22:33:44:66";
    String fromRuntime = "c2:11:22:33:44:77";
    JsonNode args = CniJson.parse("{\"cni\":{\"mac\":\"%s\"}}".formatted(fromArgs));
    JsonNode runtime = CniJson.parse("{\"mac\":\"%s\"}".formatted(fromRuntime));

    assertMac(
        network.attach(pod).with("CNI_ARGS", "IgnoreUnknown=1;MAC=" + fromEnvironment),
        fromEnvironment,
        pod);
    assertMac(
        network.with("args", args).attach(pod).with("CNI_ARGS", "MAC=" + fromEnvironment),
        fromArgs,
        pod);
    assertMac(
        network
            .with("args", args)
            .with("runtimeConfig", runtime)
            .attach(pod)
            .with("CNI_ARGS", "MAC=" + fromEnvironment),
        fromRuntime,
        pod);
  }

  private static void assertMac(Attaching eth0, String mac, Host pod) {
    assertThat(eth0.add().ok().at("/interfaces/2/mac").asString()).isEqualTo(mac);
    assertThat(link(pod, "eth0").path("address").asString()).isEqualTo(mac);
    eth0.del().ok();
  }

  @Test
  void portsAreAsConfigured(Host host, Host pod) {
    for (boolean on : List.of(true, false)) {
      Attaching eth0 =
          BridgeNetwork.on(host).with("hairpinMode", on).with("portIsolation", on).attach(pod);
      String port = eth0.add().ok().at("/interfaces/1/name").asString();

      JsonNode options = link(host, port).at("/linkinfo/info_slave_data");
      assertThat(options.path("hairpin").asBoolean()).isEqualTo(on);
      assertThat(options.path("isolated").asBoolean()).isEqualTo(on);
      eth0.del().ok();
    }
  }

  @Test
  void aDisabledInterfaceStaysDown(Host host, Host pod) {
    Attaching eth0 = BridgeNetwork.on(host).with("disableContainerInterface", true).attach(pod);

    eth0.add().ok();

    assertThat(link(pod, "eth0").path("flags").toString()).doesNotContain("\"UP\"");
    eth0.del().ok();
  }

  @Test
  void dnsOfIpamIsPassedOnUnlessTheNetworkHasItsOwn(Host host, Host pod, @TempDir Path scripts) {
    ScriptedIpam ipam =
        ScriptedIpam.in(scripts)
            .answering(
                "{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.2.9/24\"}],"
                    + "\"dns\":{\"nameservers\":[\"10.1.2.1\"]}}");
    BridgeNetwork network = ipam.of(BridgeNetwork.on(host));

    Attaching eth0 = ipam.found(network.attach(pod));
    assertThat(eth0.add().ok().at("/dns/nameservers/0").asString()).isEqualTo("10.1.2.1");
    eth0.del().ok();

    eth0 = ipam.found(network.with("dns", CniJson.parse("{\"domain\":\"x.test\"}")).attach(pod));
    assertThat(Json.compact(eth0.add().ok().path("dns"))).isEqualTo("{\"domain\":\"x.test\"}");
    eth0.del().ok();

    eth0 = ipam.found(network.with("dns", CniJson.parse("{\"search\":[]}")).attach(pod));
    assertThat(eth0.add().ok().has("dns")).as("a list that is there and empty").isFalse();
  }

  @Test
  void argumentsItDoesNotKnowAreRefused(Host host, Host pod) {
    CniException error =
        BridgeNetwork.on(host).attach(pod).with("CNI_ARGS", "IP=10.1.2.9").add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    assertThat(error.msg()).contains("unknown args [\"IP=10.1.2.9\"]");
  }

  @Test
  void aNamespaceThatIsNotThereIsNamed(Host host, Host pod) {
    CniException error =
        BridgeNetwork.on(host).attach(pod).withNetns("/run/netns/never").add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETNS);
    assertThat(error.msg()).startsWith("failed to open netns \"/run/netns/never\"");
    assertThat(host.tryExec("ip", "link", "show", "br0").succeeded()).isFalse();
  }

  static JsonNode link(Host host, String name) {
    return host.json("ip", "-j", "-d", "link", "show", name).get(0);
  }

  static List<String> addresses(Host host, String name) {
    return host.json("ip", "-j", "address", "show", name).get(0).path("addr_info").values().stream()
        .map(a -> a.path("local").asString() + "/" + a.path("prefixlen").asInt())
        .toList();
  }

  static List<String> defaultRoutes(Host host, String family) {
    return host.json("ip", "-j", family, "route", "show", "default").values().stream()
        .map(route -> route.path("gateway").asString())
        .toList();
  }

  private static List<String> interfaceNames(JsonNode result) {
    return result.path("interfaces").values().stream().map(i -> i.path("name").asString()).toList();
  }
}
