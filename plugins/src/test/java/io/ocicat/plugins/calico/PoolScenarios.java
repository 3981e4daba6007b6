package io.ocicat.plugins.calico;

import static io.ocicat.plugins.calico.CalicoContract.address;
import static io.ocicat.plugins.calico.CalicoContract.only;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Host;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Pods with addresses from Calico's pools, and their annotations. */
interface PoolScenarios {
  Store store();

  CalicoNode node(Host host);

  /** A pod with an annotation, or with none when its name is empty. */
  private Calling pod(
      CalicoNode node, Families families, Host pod, String name, String annotation, String value) {
    Map<String, String> annotations =
        annotation.isEmpty() ? Map.of() : Map.of("cni.projectcalico.org/" + annotation, value);
    store().put(Store.pod("test", name, annotations));
    return node.pod(node.pooled(families), pod, "test", name);
  }

  private void pools() {
    store().pool("blue", "10.65.1.0/24", false);
    store().pool("green", "10.65.2.0/24", false);
    store().pool("six", "fd00:65::/64", false);
  }

  private String spec(CalicoNode node, String member) {
    return only(node).content().at("/spec/" + member).toString();
  }

  @ParameterizedTest
  @EnumSource
  default void addressesComeFromThePoolsAndGoBack(Families families, Host host, Host pod) {
    CalicoNode node = node(host);
    pools();
    Calling eth0 = pod(node, families, pod, "web-0", "", "");

    JsonNode result = eth0.add().ok();

    int count = families == Families.BOTH ? 2 : 1;
    assertThat(result.path("ips").size()).isEqualTo(count);
    assertThat(result.path("routes").size()).as("one for each address").isEqualTo(count);
    assertThat(store().assigned())
        .hasSize(count)
        .allMatch(taken -> taken.endsWith(" net1." + pod.name()));
    for (int at = 0; at < count; at++) {
      String family = address(result, at).contains(":") ? "-6" : "-4";
      assertThat(host.exec("ip", family, "route").stdout())
          .contains(address(result, at) + " dev cali7b07e5871ca");
    }
    eth0.previous(result).check().ok();
    eth0.del().ok();
    assertThat(store().assigned()).isEmpty();
    assertThat(node.traces()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"green", "10.65.2.0/24"})
  default void aPodNamesItsPool(String pool, Host host, Host pod) {
    CalicoNode node = node(host);
    pools();

    JsonNode result =
        pod(node, Families.V4, pod, "web-0", "ipv4pools", "[\"%s\"]".formatted(pool)).add().ok();

    assertThat(address(result, 0)).startsWith("10.65.2.");
  }

  @Test
  default void aPoolThatThereIsNotIsRefused(Host host, Host pod) {
    CalicoNode node = node(host);
    pools();

    CniException refused =
        pod(node, Families.V4, pod, "web-0", "ipv4pools", "[\"red\"]").add().error();

    assertThat(refused.msg())
        .isEqualTo("ipam.ipv4_pools has \"red\", which is neither a CIDR nor the name of a pool");
    assertThat(store().assigned()).isEmpty();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  default void aFullPoolIsToldAndTheNextOneUsed(Host host, Host a, Host b, Host c) {
    CalicoNode node = node(host);
    pools();
    store().pool("tiny", "10.65.9.0/32", spec -> spec.put("blockSize", 32));
    JsonNode first = pod(node, Families.V4, a, "a", "ipv4pools", "[\"tiny\"]").add().ok();
    assertThat(address(first, 0)).isEqualTo("10.65.9.0");

    CniException full = pod(node, Families.V4, b, "b", "ipv4pools", "[\"tiny\"]").add().error();

    assertThat(full.code().value()).isEqualTo(11);
    assertThat(full.msg()).startsWith("failed to request IPv4 addresses: ");
    assertThat(full.details()).contains("pool \"tiny\" (10.65.9.0/32): 1 of 1 in use");
    assertThat(store().assigned()).containsExactly("10.65.9.0 net1." + a.name());
    assertThat(store().endpoints()).hasSize(1);
    assertThat(b.json("ip", "-j", "link").size()).as("only lo").isEqualTo(1);
    assertThat(host.exec("ip", "link").stdout().lines().filter(line -> line.contains("cali")))
        .hasSize(1);
    JsonNode other =
        pod(node, Families.V4, c, "c", "ipv4pools", "[\"tiny\", \"green\"]").add().ok();
    assertThat(address(other, 0)).startsWith("10.65.2.");
  }

  @Test
  default void halfOfTheAddressesIsNone(Host host, Host pod) {
    CalicoNode node = node(host);
    store().pool("blue", "10.65.1.0/24", false);

    CniException refused = pod(node, Families.BOTH, pod, "web-0", "", "").add().error();

    assertThat(refused.msg()).contains("IPv6");
    assertThat(store().assigned()).isEmpty();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  default void familiesAreThePodsChoice(Host host, Host pod) {
    CalicoNode node = node(host);
    pools();

    JsonNode result = pod(node, Families.BOTH, pod, "web-0", "ipFamilies", "[\"IPv6\"]").add().ok();

    assertThat(result.path("ips").size()).isEqualTo(1);
    assertThat(address(result, 0)).startsWith("fd00:65:");
  }

  @Test
  default void anAddressIsThePodsChoice(Host host, Host pod, Host other, Host next) {
    CalicoNode node = node(host);
    pools();
    Calling eth0 =
        pod(node, Families.BOTH, pod, "web-0", "ipAddrs", "[\"10.65.1.7\", \"fd00:65::7\"]");

    JsonNode result = eth0.add().ok();

    assertThat(result.path("ips").findValuesAsString("address"))
        .containsExactly("10.65.1.7/32", "fd00:65::7/128");
    assertThat(spec(node, "ipNetworks")).isEqualTo("[\"10.65.1.7/32\",\"fd00:65::7/128\"]");
    assertThat(host.exec("ip", "route").stdout()).contains("10.65.1.7 dev cali7b07e5871ca");
    CniException taken =
        pod(node, Families.V4, other, "thief", "ipAddrs", "[\"10.65.1.7\"]").add().error();
    assertThat(taken.msg()).startsWith("failed to assign IP address 10.65.1.7: ");
    assertThat(store().assigned()).hasSize(2);
    eth0.withNetns(next.path().toString()).container("next").add().ok();
    assertThat(store().assigned())
        .as("its next container has them")
        .containsExactlyInAnyOrder("10.65.1.7 net1.next", "fd00:65::7 net1.next");
  }

  @Test
  default void anAddressWithoutIpamNeedsTheFeature(Host host, Host pod) {
    CalicoNode node = node(host);
    pools();
    Calling eth0 = pod(node, Families.V4, pod, "web-0", "ipAddrsNoIpam", "[\"10.99.0.1\"]");
    assertThat(eth0.add().error().msg())
        .isEqualTo("requested feature is not enabled: ip_addrs_no_ipam");
    assertThat(node.traces()).isEmpty();
    Calling allowed = eth0.set("feature_control", CniJson.parse("{\"ip_addrs_no_ipam\": true}"));

    JsonNode result = allowed.add().ok();

    assertThat(address(result, 0)).isEqualTo("10.99.0.1");
    assertThat(spec(node, "ipNetworks")).isEqualTo("[\"10.99.0.1/32\"]");
    assertThat(store().assigned()).isEmpty();
    // IPAM need not know addresses that it did not allocate.
    allowed.previous(result).check().ok();
    allowed.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  /** Calico's plugin leaves the host route to Felix then, and returns no routes. */
  @Test
  default void aRouteOfTheHostMayBeLeftToTheAgent(Host host, Host pod) {
    CalicoNode node = node(host);
    pools();
    Calling eth0 = pod(node, Families.V4, pod, "web-0", "ipAddrs", "[\"10.65.1.7\"]");
    ObjectNode result = (ObjectNode) eth0.add().ok();
    result.remove("routes");
    host.exec("ip", "route", "delete", "10.65.1.7");

    assertThat(eth0.previous(result).check().error().msg())
        .contains("the host has no route to 10.65.1.7");
    host.exec("nft", "add", "table", "ip", "calico");
    eth0.previous(result).check().ok();
    eth0.del().ok();
  }

  @Test
  default void floatingAddressesAreOfTheirFamily(Host host, Host pod) {
    CalicoNode node = node(host);
    pools();
    Calling eth0 =
        pod(
            node,
            Families.BOTH,
            pod,
            "web-0",
            "floatingIPs",
            "[\"198.51.100.9\", \"2001:db8::9\"]");
    assertThat(eth0.add().error().msg())
        .isEqualTo("requested feature is not enabled: floating_ips");
    assertThat(store().assigned()).isEmpty();

    JsonNode result =
        eth0.set("feature_control", CniJson.parse("{\"floating_ips\": true}")).add().ok();

    assertThat(spec(node, "ipNATs"))
        .isEqualTo(
            "[{\"internalIP\":\"%s\",\"externalIP\":\"198.51.100.9\"},{\"internalIP\":\"%s\",\"externalIP\":\"2001:db8::9\"}]"
                .formatted(address(result, 0), address(result, 1)));
  }

  @Test
  default void sourcePrefixesAreAllowed(Host host, Host pod) {
    CalicoNode node = node(host);
    pools();

    pod(node, Families.V4, pod, "web-0", "allowedSourcePrefixes", "[\"10.8.7.6/8\"]").add().ok();

    assertThat(spec(node, "allowSpoofedSourcePrefixes")).isEqualTo("[\"10.0.0.0/8\"]");
  }

  @Test
  default void aHardwareAddressIsThePodsChoice(Host host, Host pod, Host bad) {
    CalicoNode node = node(host);
    pools();

    JsonNode result =
        pod(node, Families.V4, pod, "web-0", "hwAddr", "1c:0c:0a:c0:ff:ee").add().ok();

    assertThat(result.at("/interfaces/1/mac").asString()).isEqualTo("1c:0c:0a:c0:ff:ee");
    assertThat(pod(node, Families.V4, bad, "web-1", "hwAddr", "none").add().error().msg())
        .contains("annotation cni.projectcalico.org/hwAddr");
    assertThat(store().assigned()).hasSize(1);
  }

  @Test
  default void aNewContainerHasANewAddressAndTheOldOneKeepsItsOwn(Host host, Host x, Host y) {
    CalicoNode node = node(host);
    pools();
    Calling old = pod(node, Families.V4, x, "web-0", "", "").container("x1");
    JsonNode first = old.add().ok();

    Calling young = old.withNetns(y.path().toString()).container("y1");
    JsonNode second = young.add().ok();

    assertThat(address(second, 0)).isNotEqualTo(address(first, 0));
    assertThat(second.at("/interfaces/1/mac")).isNotEqualTo(first.at("/interfaces/1/mac"));
    assertThat(store().assigned())
        .containsExactlyInAnyOrder(address(first, 0) + " net1.x1", address(second, 0) + " net1.y1");
    old.del().ok();
    assertThat(store().assigned()).containsExactly(address(second, 0) + " net1.y1");
    young.previous(second).check().ok();
    young.del().ok();
    assertThat(store().assigned()).isEmpty();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  default void aSecondAddThatFailsLeavesTheFirstItsAddress(Host host, Host pod) {
    CalicoNode node = node(host);
    pools();
    Calling eth0 =
        pod(node, Families.V4, pod, "web-0", "", "").set("cniVersion", CniJson.parse("\"1.0.0\""));
    eth0.add().ok();
    var before = store().assigned();
    pod.exec("ip", "link", "set", "eth0", "down");
    pod.exec("ip", "link", "set", "eth0", "name", "eth7");
    pod.exec("ip", "link", "add", "eth0", "type", "bridge");

    eth0.add().error();

    assertThat(store().assigned()).isEqualTo(before);
  }
}
