package io.ocicat.plugins.flannel;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Plugins;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Flannel, bridge and host-local on real kernels: nodes with a lease each, and pods on them. */
@Hosts
class FlannelNetworkTest {
  @TempDir private Path directory;

  /** The implementations under test; ours as soon as both plugins exist. */
  static Stream<Side> delegates() {
    boolean ours = Plugins.names().containsAll(Set.of("bridge", "host-local"));
    return ours ? Stream.of(Side.values()) : Stream.of(Side.GO);
  }

  /** Debian's Go plugins support versions up to 1.0.0. */
  static Stream<Arguments> versions() {
    List<String> known = List.of("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0");
    return delegates()
        .flatMap(
            side -> {
              Stream<String> versions =
                  side == Side.GO
                      ? known.stream()
                      : Stream.concat(known.stream(), Stream.of("1.1.0"));
              return versions.map(version -> Arguments.of(side, version));
            });
  }

  static Stream<Arguments> stacks() {
    return delegates()
        .flatMap(
            side ->
                Stream.of(
                    Arguments.of(side, Lease.V4, List.of("10.50.7.2/24"), List.of("10.50.0.0/16")),
                    Arguments.of(
                        side, Lease.V6, List.of("fd00:50:0:7::2/64"), List.of("fd00:50::/48")),
                    Arguments.of(
                        side,
                        Lease.DUAL,
                        List.of("10.50.7.2/24", "fd00:50:0:7::2/64"),
                        List.of("10.50.0.0/16", "fd00:50::/48")),
                    Arguments.of(
                        side,
                        Lease.TWO_NETWORKS,
                        List.of("10.50.7.2/24"),
                        List.of("10.50.0.0/16", "10.60.0.0/16"))));
  }

  @ParameterizedTest
  @MethodSource
  void versions(Side side, String version, Host node, Host pod) throws IOException {
    Attaching eth0 = attach(side, Lease.V4, version, node, pod);

    JsonNode result = eth0.add().ok();

    assertThat(result.path("cniVersion").asString()).isEqualTo(version);
    assertThat(
            version.startsWith("0.1") || version.startsWith("0.2")
                ? result.at("/ip4/ip").asString()
                : result.at("/ips/0/address").asString())
        .isEqualTo("10.50.7.2/24");
    pod.exec("ping", "-c1", "-W2", "10.50.7.1");
    eth0.del().ok();
    eth0.del().ok();
    nothingIsLeft(node, pod);
  }

  @ParameterizedTest
  @MethodSource("delegates")
  void aSecondAddIsRefusedAndTheFirstStays(Side side, Host node, Host pod) throws IOException {
    Attaching eth0 = attach(side, Lease.V4, "1.0.0", node, pod);
    eth0.add().ok();

    assertThat(eth0.add().error().msg()).contains("\"eth0\") already exists");

    pod.exec("ping", "-c1", "-W2", "10.50.7.1");
    assertThat(scratch(node).resolve(pod.name())).exists();
    eth0.del().ok();
    nothingIsLeft(node, pod);
  }

  @ParameterizedTest
  @MethodSource("delegates")
  void anInterfaceOfSomebodyElseStays(Side side, Host node, Host pod) throws IOException {
    pod.exec("ip", "link", "add", "eth0", "type", "bridge");
    Attaching eth0 = attach(side, Lease.V4, "1.0.0", node, pod);

    assertThat(eth0.add().error().msg()).contains("\"eth0\") already exists");

    pod.exec("ip", "link", "show", "eth0");
  }

  @ParameterizedTest
  @MethodSource
  void stacks(Side side, Lease lease, List<String> ips, List<String> routes, Host node, Host pod)
      throws IOException {
    Attaching eth0 = attach(side, lease, "1.0.0", node, pod);

    JsonNode result = eth0.add().ok();

    assertThat(result.path("ips").values())
        .extracting(ip -> ip.path("address").asString())
        .isEqualTo(ips);
    assertThat(result.path("routes").values())
        .extracting(route -> route.path("dst").asString())
        .isEqualTo(routes);
    JsonNode scratch = CniJson.parse(Files.readString(scratch(node).resolve(pod.name())));
    assertThat(scratch.at("/ipam/routes").values())
        .extracting(route -> route.path("dst").asString())
        .isEqualTo(routes);
    assertThat(mtu(pod)).isEqualTo(1450);
    eth0.del().ok();
    nothingIsLeft(node, pod);
  }

  @ParameterizedTest
  @MethodSource("delegates")
  void podsOfTwoNodesTalk(Side side, Host node1, Host node2, Host pod1, Host pod2, Host pod3)
      throws IOException {
    node1.connect(node2, "192.168.9.1/24", "192.168.9.2/24");
    node1.exec("ip", "route", "add", "10.50.8.0/24", "via", "192.168.9.2");
    node2.exec("ip", "route", "add", "10.50.7.0/24", "via", "192.168.9.1");
    Attaching first = attach(side, Lease.V4, "1.0.0", node1, pod1);
    Attaching second = attach(side, Lease.V4, "1.0.0", node1, pod2);
    Attaching third = attach(side, Lease.NEXT, "1.0.0", node2, pod3);

    first.add().ok();
    assertThat(second.add().ok().at("/ips/0/address").asString()).isEqualTo("10.50.7.3/24");
    assertThat(third.add().ok().at("/ips/0/address").asString()).isEqualTo("10.50.8.2/24");

    pod1.exec("ping", "-c1", "-W2", "10.50.7.3");
    pod1.exec("ping", "-c1", "-W2", "10.50.8.2");
    pod3.exec("ping", "-c1", "-W2", "10.50.7.2");
    for (Attaching each : List.of(first, second, third)) {
      each.del().ok();
    }
    nothingIsLeft(node1, pod1);
    nothingIsLeft(node2, pod3);
  }

  @ParameterizedTest
  @MethodSource("delegates")
  void aContainerThatIsGoneGivesItsAddressBack(Side side, Host node, Host pod) throws IOException {
    Attaching eth0 = attach(side, Lease.V4, "1.0.0", node, pod);
    eth0.add().ok();
    assertThat(leases(node)).containsExactly("10.50.7.2");

    eth0.withNetns("").del().ok();

    assertThat(leases(node)).isEmpty();
    assertThat(scratch(node)).isEmptyDirectory();
  }

  @ParameterizedTest
  @MethodSource("delegates")
  void aDelThatFailedLeaksNothingWhenItIsTriedAgain(Side side, Host node, Host pod)
      throws IOException {
    Attaching eth0 = attach(side, Lease.V4, "1.0.0", node, pod);
    eth0.add().ok();

    for (int i = 0; i < 5; i++) {
      assertThat(eth0.with("CNI_PATH", "/nonexistent").del().error().msg())
          .contains("failed to find plugin \"bridge\"");
    }
    assertThat(leases(node)).hasSize(1);

    eth0.del().ok();
    nothingIsLeft(node, pod);
  }

  @ParameterizedTest
  @MethodSource("delegates")
  void anAddThatFailsAtTheLastStepLeavesNothing(Side side, Host node, Host pod) throws IOException {
    Attaching eth0 = attach(side, Lease.V4, "1.0.0", node, pod);
    // A bridge of that name with another address: bridge fails after host-local has leased one.
    node.exec("ip", "link", "add", "cni0", "type", "bridge");
    node.exec("ip", "address", "add", "10.99.0.1/16", "dev", "cni0");

    for (int i = 0; i < 5; i++) {
      assertThat(eth0.add().error().msg())
          .startsWith("failed to delegate add: ")
          .contains("already has an IP address different from");
      nothingIsLeft(node, pod);
    }
    eth0.del().ok();
    nothingIsLeft(node, pod);
  }

  @ParameterizedTest
  @MethodSource("delegates")
  void twoInterfacesOfOneContainerLeaveNothingInAnyOrder(Side side, Host node, Host pod)
      throws IOException {
    Attaching eth0 = attach(side, Lease.V4, "1.0.0", node, pod);
    Attaching net1 = eth0.with("CNI_IFNAME", "net1");
    for (List<Attaching> order : List.of(List.of(eth0, net1), List.of(net1, eth0))) {
      eth0.add().ok();
      net1.add().ok();
      assertThat(leases(node)).hasSize(2);
      for (Attaching each : order) {
        each.del().ok();
        each.del().ok();
      }
      nothingIsLeft(node, pod);
    }
  }

  @ParameterizedTest
  @MethodSource("delegates")
  void checkNoticesWhatIsMissing(Side side, Host node, Host pod) throws IOException {
    Attaching eth0 = attach(side, Lease.V4, "1.0.0", node, pod);
    ObjectNode previous = (ObjectNode) eth0.add().ok();
    // Debian's Go plugin misses a route whose gateway is not named.
    ((ObjectNode) previous.at("/routes/0")).put("gw", "10.50.7.1");
    ObjectNode config = (ObjectNode) CniJson.parse(eth0.config());
    config.set("prevResult", previous);
    Attaching later = eth0.withConfig(Json.compact(config));

    later.check().ok();
    pod.exec("ip", "address", "flush", "dev", "eth0");
    assertThat(later.check().error().msg()).contains("10.50.7.2");
    eth0.del().ok();
  }

  /** What flanneld wrote on a node. */
  enum Lease {
    V4("FLANNEL_NETWORK=10.50.0.0/16\nFLANNEL_SUBNET=10.50.7.1/24\n"),
    NEXT("FLANNEL_NETWORK=10.50.0.0/16\nFLANNEL_SUBNET=10.50.8.1/24\n"),
    V6("FLANNEL_IPV6_NETWORK=fd00:50::/48\nFLANNEL_IPV6_SUBNET=fd00:50:0:7::1/64\n"),
    DUAL(V4.text + V6.text),
    TWO_NETWORKS("FLANNEL_NETWORK=10.50.0.0/16,10.60.0.0/16\nFLANNEL_SUBNET=10.50.7.1/24\n");

    private final String text;

    Lease(String text) {
      this.text = text;
    }
  }

  private Attaching attach(Side side, Lease lease, String version, Host node, Host pod)
      throws IOException {
    Path files = Files.createDirectories(directory.resolve(node.name()));
    Path env =
        Files.writeString(
            files.resolve("subnet.env"), lease.text + "FLANNEL_MTU=1450\nFLANNEL_IPMASQ=true\n");
    String config =
        """
        {"cniVersion": "%s", "name": "podnet", "type": "flannel", "subnetFile": "%s", "dataDir": "%s",
         "delegate": {"hairpinMode": true}, "ipam": {"dataDir": "%s"}}
        """
            .formatted(version, env, scratch(node), files.resolve("leases"));
    return Attaching.of("flannel", node, pod, config).with("CNI_PATH", side.path());
  }

  private Path scratch(Host node) {
    return directory.resolve(node.name()).resolve("scratch");
  }

  private List<String> leases(Host node) throws IOException {
    try (Stream<Path> files =
        Files.list(directory.resolve(node.name()).resolve("leases").resolve("podnet"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.equals("lock") && !name.startsWith("last_reserved_ip"))
          .sorted()
          .toList();
    }
  }

  private void nothingIsLeft(Host node, Host pod) throws IOException {
    assertThat(leases(node)).isEmpty();
    assertThat(scratch(node)).isEmptyDirectory();
    assertThat(pod.json("ip", "-j", "link").values())
        .extracting(link -> link.path("ifname").asString())
        .containsExactly("lo");
    assertThat(node.json("ip", "-j", "link", "show", "type", "veth").values())
        .extracting(link -> link.path("ifname").asString())
        .noneMatch(name -> name.startsWith("veth"));
  }

  private static int mtu(Host pod) {
    return pod.json("ip", "-j", "link", "show", "eth0").at("/0/mtu").asInt();
  }
}
