package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.json.Json;
import io.ocicat.datastore.Kind;
import io.ocicat.datastore.Resource;
import io.ocicat.plugins.AtOnce;
import io.ocicat.plugins.Ran;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Upstream's scenarios, for every engine of the datastore. */
@Hosts
abstract class CalicoContract {
  static final String V4 = "10.65.0.0/24";
  static final String V6 = "fd00:65::/64";
  private static final String GATEWAY_6 = "fe80::ecee:eeff:feee:eeee";

  @TempDir Path files;

  abstract Store store();

  @BeforeEach
  void reset() {
    store().reset();
  }

  CalicoNode node(Host host) {
    return CalicoNode.of(host, store(), files);
  }

  @Test
  void aContainerGetsACableAnEndpointAndAProfile(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = node.call(node.config(V4), pod);
    String cable = "cali" + pod.name().substring(0, Math.min(11, pod.name().length()));

    JsonNode result = eth0.add().ok();

    assertThat(result.at("/interfaces/0/name").asString()).isEqualTo(cable);
    assertThat(result.at("/interfaces/0").has("mac")).isFalse();
    assertThat(result.at("/interfaces/1/name").asString()).isEqualTo("eth0");
    assertThat(result.at("/interfaces/1/sandbox").asString()).isEqualTo(pod.path().toString());
    assertThat(result.at("/ips").size()).isEqualTo(1);
    assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.65.0.2/32");
    assertThat(result.at("/ips/0/interface").asInt()).isEqualTo(1);
    assertThat(result.at("/ips/0").has("gateway")).isFalse();

    String mac = result.at("/interfaces/1/mac").asString();
    Resource endpoint = only(node);
    assertThat(endpoint.key().name())
        .isEqualTo("node--a-cni-%s-eth0".formatted(pod.name().replace("-", "--")));
    assertThat(endpoint.key().namespace()).isEqualTo("default");
    assertThat(endpoint.content().path("spec"))
        .isEqualTo(
            Json.parse(
                """
                {"orchestrator": "cni", "node": "node-a", "containerID": "%s", "endpoint": "eth0",
                 "ipNetworks": ["10.65.0.2/32"], "profiles": ["net1"],
                 "interfaceName": "%s", "mac": "%s"}
                """
                    .formatted(pod.name(), cable, mac)));
    assertThat(endpoint.labels())
        .isEqualTo(
            Map.of(
                "projectcalico.org/namespace", "default", "projectcalico.org/orchestrator", "cni"));
    assertThat(store().get(Kind.PROFILE, "", "net1").orElseThrow().content().path("spec"))
        .isEqualTo(
            Json.parse(
                """
                {"ingress": [{"action": "Allow", "source": {"selector": "has(net1)"}, "destination": {}}],
                 "egress": [{"action": "Allow", "source": {}, "destination": {}}],
                 "labelsToApply": {"net1": ""}}
                """));

    JsonNode outside = host.json("ip", "-j", "link", "show", cable).get(0);
    assertThat(outside.path("address").asString()).isEqualTo("ee:ee:ee:ee:ee:ee");
    assertThat(outside.path("mtu").asInt()).isEqualTo(1500);
    assertThat(outside.path("flags").toString()).contains("\"UP\"");
    assertThat(sysctl(host, "ipv4/conf/%s/proxy_arp", cable)).isEqualTo("1");
    assertThat(sysctl(host, "ipv4/conf/%s/route_localnet", cable)).isEqualTo("1");
    assertThat(sysctl(host, "ipv4/conf/%s/forwarding", cable)).isEqualTo("1");
    assertThat(sysctl(host, "ipv4/neigh/%s/proxy_delay", cable)).isEqualTo("0");
    assertThat(sysctl(host, "ipv6/conf/%s/accept_ra", cable)).isEqualTo("0");
    assertThat(sysctl(pod, "ipv4/ip_forward", "")).isEqualTo("0");
    assertThat(host.exec("ip", "route").stdout())
        .contains("10.65.0.2 dev " + cable + " scope link");
    assertThat(pod.exec("ip", "route").stdout().lines().map(String::strip))
        .containsExactly("default via 169.254.1.1 dev eth0", "169.254.1.1 dev eth0 scope link");
    JsonNode inside = pod.json("ip", "-j", "address", "show", "eth0").get(0);
    assertThat(inside.path("address").asString()).isEqualTo(mac);
    assertThat(inside.at("/addr_info/0/local").asString()).isEqualTo("10.65.0.2");
    assertThat(inside.at("/addr_info/0/prefixlen").asInt()).isEqualTo(32);

    eth0.previous(result).check().ok();
    eth0.status().ok();
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
    assertThat(pod.json("ip", "-j", "link").size()).isEqualTo(1);
    eth0.del().ok();
  }

  @Test
  void aPodIsDescribedByItsLabelsPortsAndProfiles(Host host, Host pod) {
    CalicoNode node = node(host);
    store().put(Store.pod("shop", "cart-7d9f", Map.of()));
    Calling eth0 =
        node.pod(node.kubernetes(V4, V6), pod, "shop", "cart-7d9f").container("4f1c0d9b77aa");

    JsonNode result = eth0.add().ok();

    assertThat(result.at("/interfaces/0/name").asString()).isEqualTo("calieb55de816a6");
    Resource endpoint = only(node);
    ObjectNode document = endpoint.content();
    ((ObjectNode) document.path("metadata")).remove(List.of("uid", "creationTimestamp"));
    assertThat(document)
        .isEqualTo(
            Json.parse(
                """
                {"kind":"WorkloadEndpoint","apiVersion":"projectcalico.org/v3",
                 "metadata":{"name":"node--a-k8s-cart--7d9f-eth0","generateName":"cart-7d9f-","namespace":"shop",
                  "labels":{"app":"cart-7d9f","projectcalico.org/namespace":"shop",
                   "projectcalico.org/orchestrator":"k8s","projectcalico.org/serviceaccount":"default"}},
                 "spec":{"orchestrator":"k8s","node":"node-a","containerID":"4f1c0d9b77aa","pod":"cart-7d9f",
                  "endpoint":"eth0","serviceAccountName":"default",
                  "ipNetworks":["10.65.0.2/32","fd00:65::2/128"],
                  "profiles":["kns.shop","ksa.shop.default"],"interfaceName":"calieb55de816a6","mac":"%s",
                  "ports":[{"name":"http","protocol":"TCP","port":8080,"hostPort":0,"hostIP":""}]}}
                """
                    .formatted(result.at("/interfaces/1/mac").asString())));
    assertThat(store().get(Kind.PROFILE, "", "net1")).as("only referenced").isEmpty();
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void bothFamiliesHaveTheirGateways(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = node.pod(node.kubernetes(V4, V6), pod, "test", "web-0");

    JsonNode result = eth0.add().ok();

    String cable = "cali7b07e5871ca";
    assertThat(result.at("/interfaces/0/name").asString()).isEqualTo(cable);
    assertThat(pod.exec("ip", "-6", "route").stdout())
        .contains("default via " + GATEWAY_6 + " dev eth0");
    assertThat(pod.exec("ip", "-6", "address", "show", "eth0").stdout())
        .contains("inet6 fd00:65::2/128 scope global nodad")
        .doesNotContain("tentative");
    assertThat(host.exec("ip", "-6", "route").stdout()).contains("fd00:65::2 dev " + cable);
    assertThat(host.exec("ip", "-6", "address", "show", cable).stdout()).contains(GATEWAY_6);
    assertThat(sysctl(host, "ipv6/conf/%s/accept_dad", cable)).isEqualTo("0");
    assertThat(sysctl(host, "ipv6/conf/%s/proxy_ndp", cable)).isEqualTo("1");
    assertThat(sysctl(host, "ipv6/conf/%s/forwarding", cable)).isEqualTo("1");
    assertThat(sysctl(host, "ipv6/conf/%s/disable_ipv6", cable)).isEqualTo("0");
    assertThat(sysctl(pod, "ipv6/conf/all/forwarding", "")).isEqualTo("0");
    eth0.previous(result).check().ok();
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void podsReachEachOtherAndTheHost(Host host, Host a, Host b) {
    CalicoNode node = node(host);
    giveAddresses(host);
    JsonNode first = node.pod(node.kubernetes(V4, V6), a, "test", "a").add().ok();
    JsonNode second = node.pod(node.kubernetes(V4, V6), b, "test", "b").add().ok();

    for (int family : new int[] {0, 1}) {
      a.exec("ping", "-c1", "-W5", address(second, family));
      b.exec("ping", "-c1", "-W5", address(first, family));
      host.exec("ping", "-c1", "-W5", address(first, family));
    }
    a.exec("ping", "-c1", "-W5", "192.0.2.1");
    a.exec("ping", "-c1", "-W5", "2001:db8::1");
  }

  @Test
  void aSecondAddOfAContainerAnswersWhatIsThere(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = node.call(node.config(V4).put("cniVersion", "1.0.0"), pod);
    JsonNode first = eth0.add().ok();
    Resource before = only(node);

    JsonNode second = eth0.add().ok();

    assertThat(second.path("ips")).isEqualTo(first.path("ips"));
    assertThat(second.path("interfaces")).isEqualTo(first.path("interfaces"));
    assertThat(only(node)).isEqualTo(before);

    eth0.set("name", Json.parse("\"net2\"")).add().ok();
    assertThat(only(node).content().at("/spec/profiles").toString())
        .isEqualTo("[\"net1\",\"net2\"]");
    assertThat(store().get(Kind.PROFILE, "", "net2")).isPresent();
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void aPodsNewContainerTakesOverAndTheOldOnesDelDoesNoHarm(Host host, Host x, Host y) {
    CalicoNode node = node(host);
    Calling old = node.pod(node.kubernetes(V4), x, "test", "web-0").container("x1");
    Calling young = node.pod(node.kubernetes(V4), y, "test", "web-0").container("y1");
    JsonNode first = old.add().ok();
    Resource before = only(node);

    JsonNode second = young.add().ok();

    assertThat(address(second, 0)).isNotEqualTo(address(first, 0));
    Resource after = only(node);
    assertThat(after.text("metadata", "uid")).isEqualTo(before.text("metadata", "uid"));
    assertThat(after.text("spec", "containerID")).contains("y1");
    old.del().ok();
    assertThat(only(node)).isEqualTo(after);
    giveAddresses(host);
    y.exec("ping", "-c1", "-W5", "192.0.2.1");
    young.previous(second).check().ok();
    young.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void aLateDelAfterADelDoesNoHarm(Host host, Host x, Host y) {
    CalicoNode node = node(host);
    Calling old = node.pod(node.kubernetes(V4), x, "test", "web-0").container("x1");
    Calling young = node.pod(node.kubernetes(V4), y, "test", "web-0").container("y1");
    old.add().ok();
    old.del().ok();
    JsonNode result = young.add().ok();

    old.del().ok();

    young.previous(result).check().ok();
    young.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void theSameContainerAgainIsTheSame(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling strict = node.pod(node.kubernetes(V4), pod, "test", "web-0");
    Calling eth0 = strict.set("cniVersion", Json.parse("\"1.0.0\""));
    JsonNode first = eth0.add().ok();
    assertThat(strict.add().error().msg()).contains("(\"eth0\") already exists");

    JsonNode second = eth0.add().ok();

    assertThat(second.path("ips")).isEqualTo(first.path("ips"));
    assertThat(second.path("interfaces")).isEqualTo(first.path("interfaces"));
    eth0.previous(first).check().ok();
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void anotherInterfaceOfThePodKeepsTheEndpointsName(Host host, Host pod, Host other) {
    CalicoNode node = node(host);
    Calling eth0 = node.pod(node.kubernetes(V4), pod, "test", "x");
    eth0.add().ok();
    node.pod(node.kubernetes(V4), other, "test", "x-1").add().ok();

    eth0.with("CNI_IFNAME", "eth1").add().ok();

    assertThat(store().endpoints())
        .extracting(endpoint -> endpoint.key().name())
        .containsExactlyInAnyOrder("node--a-k8s-x-eth0", "node--a-k8s-x--1-eth0");
    eth0.with("CNI_IFNAME", "eth1").del().ok();
    assertThat(store().endpoints())
        .extracting(endpoint -> endpoint.key().name())
        .containsExactly("node--a-k8s-x--1-eth0");
  }

  @Test
  void aLinkOfThatNameOnTheHostMakesWay(Host host, Host pod) {
    CalicoNode node = node(host);
    host.exec("ip", "link", "add", "cali7b07e5871ca", "type", "veth", "peer", "name", "old0");
    giveAddresses(host);

    JsonNode result = node.pod(node.kubernetes(V4), pod, "test", "web-0").add().ok();

    host.exec("ping", "-c1", "-W5", address(result, 0));
  }

  @Test
  void nothingIsDoneWhileTheClusterIsNotReady(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = node.call(node.config(V4), pod);
    store().ready(false);

    assertThat(eth0.add().error().msg())
        .isEqualTo("Calico is currently not ready to process requests");
    assertThat(eth0.del().error().code().value()).isEqualTo(11);
    assertThat(eth0.status().error().code().value()).isEqualTo(50);
    assertThat(node.traces()).isEmpty();

    store().ready(true);
    eth0.add().ok();
    store().ready(false);
    assertThat(eth0.del().error().code().value()).isEqualTo(11);
    assertThat(host.exec("ip", "link").stdout()).as("the local part").doesNotContain("cali");
    store().ready(true);
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void manyAddsAndDelsOfOnePodEndInOrder(Host host, Host x, Host y) throws Exception {
    CalicoNode node = node(host);
    Calling old = node.pod(node.kubernetes(V4), x, "test", "web-0").container("x1");
    Calling young = node.pod(node.kubernetes(V4), y, "test", "web-0").container("y1");
    for (int round = 0; round < 3; round++) {
      old.add().ok();
      List<Callable<Ran>> calls = new ArrayList<>();
      calls.add(old::del);
      calls.add(young::add);
      Ran add = AtOnce.run(calls).get(1);
      JsonNode result = add.ok();
      assertThat(only(node).text("spec", "containerID")).contains("y1");
      young.previous(result).check().ok();
      young.del().ok();
      assertThat(node.traces()).isEmpty();
    }
  }

  @Test
  void gcRemovesWhatNobodyNames(Host host, Host a, Host b) {
    CalicoNode node = node(host);
    Calling kept = node.pod(node.kubernetes(V4), a, "test", "a");
    JsonNode result = kept.add().ok();
    node.pod(node.kubernetes(V4), b, "test", "b").add().ok();

    kept.set(
            "cni.dev/valid-attachments",
            Json.parse("[{\"containerID\": \"%s\", \"ifname\": \"eth0\"}]".formatted(a.name())))
        .gc()
        .ok();

    assertThat(only(node).key().name()).isEqualTo("node--a-k8s-a-eth0");
    kept.previous(result).check().ok();
    kept.set("cni.dev/valid-attachments", Json.parse("[]")).gc().ok();
    assertThat(node.traces()).isEmpty();
    assertThat(files.resolve("leases/net1").toFile().list())
        .allMatch(name -> !name.startsWith("10.65.0."));
  }

  /**
   * What a machine has on its LAN. Without a way to everywhere the kernel does not answer for the
   * gateway that nobody has.
   */
  static void giveAddresses(Host host) {
    host.exec("ip", "link", "add", "lan0", "type", "veth", "peer", "name", "lan1");
    host.exec("ip", "address", "add", "192.0.2.1/24", "dev", "lan0");
    host.exec("ip", "address", "add", "2001:db8::1/64", "dev", "lan0", "nodad");
    host.exec("ip", "link", "set", "lan1", "up");
    host.exec("ip", "link", "set", "lan0", "up");
    host.exec("ip", "route", "add", "default", "via", "192.0.2.254");
  }

  Resource only(CalicoNode node) {
    List<Resource> endpoints = node.store().endpoints();
    assertThat(endpoints).hasSize(1);
    return endpoints.getFirst();
  }

  static String address(JsonNode result, int index) {
    String address = result.at("/ips/%d/address".formatted(index)).asString();
    return address.substring(0, address.indexOf('/'));
  }

  static String sysctl(Host host, String path, String link) {
    return host.exec("cat", "/proc/sys/net/" + path.formatted(link)).stdout().strip();
  }
}
