package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Output;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * The networks of {@code ocicat cluster} other than those of {@link ClusterTest}. By default each
 * with two nodes; {@code -Docicat.longer=1} takes all networks with three nodes, both families and
 * both datastores.
 */
class ClusterNetworksTest extends ClusterSuite {
  private static final boolean LONGER = Integer.getInteger("ocicat.longer", 0) > 0;

  /**
   * A network with what it should look like.
   *
   * @param mtu of pods
   * @param mtu6 of pods with both families
   * @param made what a node has to reach the others' pods, as {@code ip route} shows it
   */
  record Way(String network, int mtu, int mtu6, String made, String datastore) {
    Way on(String other) {
      return new Way(network, mtu, mtu6, made, other);
    }

    @Override
    public String toString() {
      return network + " on " + datastore;
    }
  }

  static List<Way> ways() {
    List<Way> ways =
        List.of(
            new Way("calico-bgp", 1500, 1500, "proto bird", "embedded"),
            new Way("flannel-vxlan", 1450, 1430, "dev flannel.1", "etcd"),
            new Way("flannel-host-gw", 1500, 1500, "via 192.0.2.12 dev eth0", "embedded"));
    // Those of ClusterTest, whose other combinations are long forms.
    List<Way> others =
        List.of(
            new Way("calico", 1500, 1500, "via 192.0.2.12 dev eth0", "embedded"),
            new Way("calico-vxlan", 1450, 1430, "dev vxlan.calico", "embedded"));
    return LONGER
        ? Stream.concat(ways.stream(), others.stream())
            .flatMap(way -> Stream.of(way.on("embedded"), way.on("etcd")))
            .toList()
        : ways;
  }

  @ParameterizedTest
  @MethodSource("ways")
  void podsReachEachOtherAndALossIsExplained(Way way) {
    List<String> options = new ArrayList<>(List.of("up", "--pods", "1"));
    options.addAll(List.of("--network", way.network(), "--datastore", way.datastore()));
    options.addAll(LONGER ? List.of("--nodes", "3", "--dual-stack") : List.of("--nodes", "2"));
    cluster(options.toArray(String[]::new)).run();

    // Pods are on different nodes; what else there is has the MTU of its own link.
    JsonNode pairs = cluster("connectivity", "--json").run().json();
    assertThat(pairs).hasSize(LONGER ? 36 : 16).allMatch(pair -> pair.path("ok").asBoolean());
    assertThat(pairs.valueStream().filter(ClusterNetworksTest::isOfPods))
        .hasSize(LONGER ? 6 : 2)
        .allMatch(pair -> pair.path("mtu").asInt() == (LONGER ? way.mtu6() : way.mtu()));
    assertThat(on("node-1", "ip", "route").stdout()).contains(way.made());
    assertThat(cluster("status").run().stdout()).contains("network " + way.network());

    switch (way.toString()) {
      case "calico-bgp on embedded" -> explainsAMissingSession();
      case "flannel-vxlan on etcd" -> explainsAMissingLease();
      default -> {}
    }
  }

  private static boolean isOfPods(JsonNode pair) {
    return pair.path("from").asString().contains("/") && pair.path("to").asString().contains("/");
  }

  private void explainsAMissingSession() {
    cluster("node", "stop", "node-2").run();
    on("node-2", "birdc", "-s", "/run/ocicat/bird.ctl", "disable", "\"Mesh_*\"");

    JsonNode failed = failures();

    assertThat(failed.findValuesAsString("cause")).contains("bgp-session");
    assertThat(failed.findValuesAsString("reason"))
        .anyMatch(reason -> reason.contains("the BGP session with node-2 (192.0.2.12)"));
  }

  private void explainsAMissingLease() {
    cluster("node", "stop", "node-2").run();
    // All leases, of which only node-1 gets its own again.
    on(
        "node-1",
        "curl",
        "-sf",
        "http://192.0.2.1:2379/v3/kv/deleterange",
        "-d",
        "{\"key\": \"%s\", \"range_end\": \"%s\"}"
            .formatted(
                base64("/coreos.com/network/subnets/"), base64("/coreos.com/network/subnets0")));

    JsonNode failed = failures();

    assertThat(failed.findValuesAsString("cause")).contains("flannel-lease");
    assertThat(failed.findValuesAsString("reason"))
        .anyMatch(reason -> reason.contains("the address of default/web-2: missing"));
  }

  private static String base64(String key) {
    return Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8));
  }

  private JsonNode failures() {
    Output printed = cluster("connectivity", "--timeout", "300", "--json").attempt();
    assertThat(printed.exitCode()).as(printed.toString()).isEqualTo(1);
    return printed.json();
  }

  /** Where the kernel has none; with it this is one more way. */
  @Test
  void ipipIsRefusedAtOnceWhereTheKernelHasNone() {
    boolean has =
        Command.of(
                    "unshare",
                    "--net",
                    "ip",
                    "link",
                    "add",
                    "probe",
                    "type",
                    "ipip",
                    "remote",
                    "127.0.0.1")
                .attempt()
                .exitCode()
            == 0;

    Output up = cluster("up", "--nodes", "2", "--pods", "1", "--network", "calico-ipip").attempt();

    if (has) {
      assertThat(up.exitCode()).as(up.toString()).isZero();
      assertConnected(16, 1480);
    } else {
      assertThat(up.exitCode()).isEqualTo(1);
      assertThat(up.stderr())
          .isEqualTo(
              "ocicat: --network calico-ipip needs a kernel with IPIP, and this one has none:"
                  + " load it (modprobe ipip), or choose calico-vxlan\n");
    }
  }
}
