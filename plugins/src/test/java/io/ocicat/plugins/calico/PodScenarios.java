package io.ocicat.plugins.calico;

import static io.ocicat.plugins.calico.CalicoContract.V4;
import static io.ocicat.plugins.calico.CalicoContract.V6;
import static io.ocicat.plugins.calico.CalicoContract.address;
import static io.ocicat.plugins.calico.CalicoContract.giveAddresses;
import static io.ocicat.plugins.calico.CalicoContract.only;
import static io.ocicat.plugins.calico.CalicoContract.sysctl;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.plugins.AtOnce;
import io.ocicat.plugins.Ran;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Pods: their veth pairs and endpoints, and what happens to these when calls come in an unusual
 * order.
 */
interface PodScenarios {
  Store store();

  CalicoNode node(Host host);

  @Test
  default void aPodIsDescribedByItsLabelsPortsAndProfiles(Host host, Host pod) {
    CalicoNode node = node(host);
    store().put(Store.pod("shop", "cart-7d9f", Map.of()));
    Calling eth0 =
        node.pod(node.kubernetes(V4, V6), pod, "shop", "cart-7d9f").container("4f1c0d9b77aa");

    JsonNode result = eth0.add().ok();

    assertThat(result.at("/interfaces/0/name").asString()).isEqualTo("calieb55de816a6");
    Resource endpoint = only(node);
    ObjectNode document = endpoint.content();
    ((ObjectNode) document.path("metadata")).remove(List.of("uid", "creationTimestamp"));
    if (!store().keepsEndpoints()) {
      ((ObjectNode) document.path("spec"))
          .put("mac", result.at("/interfaces/1/mac").asString()); // Pods have no place for it.
    }
    assertThat(document)
        .isEqualTo(
            CniJson.parse(
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
    if (store().keepsEndpoints()) {
      assertThat(store().get(Kind.PROFILE, "", "net1")).as("only referenced").isEmpty();
    }
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  default void aPodHasItsAddressesRoutesAndGateways(Families families, Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = node.pod(node.kubernetes(families.subnets()), pod, "test", "web-0");

    JsonNode result = eth0.add().ok();

    String veth = "cali7b07e5871ca";
    assertThat(result.at("/interfaces/0/name").asString()).isEqualTo(veth);
    assertThat(result.path("ips").findValuesAsString("address"))
        .isEqualTo(WorkloadEndpoints.texts(only(node), "ipNetworks"))
        .hasSize(families == Families.BOTH ? 2 : 1);
    String inside = pod.exec("ip", "-6", "address", "show", "eth0").stdout();
    if (families.hasV4()) {
      assertThat(pod.exec("ip", "route").stdout().lines().map(String::strip))
          .containsExactly("default via 169.254.1.1 dev eth0", "169.254.1.1 dev eth0 scope link");
      assertThat(host.exec("ip", "route").stdout())
          .contains("10.65.0.2 dev " + veth + " scope link");
      for (String on :
          List.of("conf/%s/proxy_arp", "conf/%s/route_localnet", "conf/%s/forwarding")) {
        assertThat(sysctl(host, "ipv4/" + on, veth)).as(on).isEqualTo("1");
      }
      assertThat(sysctl(host, "ipv4/neigh/%s/proxy_delay", veth)).isEqualTo("0");
      assertThat(sysctl(pod, "ipv4/ip_forward", "")).isEqualTo("0");
    } else {
      assertThat(pod.exec("ip", "route").stdout()).isEmpty();
    }
    if (families.hasV6()) {
      String gateway = "fe80::ecee:eeff:feee:eeee";
      assertThat(pod.exec("ip", "-6", "route").stdout())
          .contains("default via " + gateway + " dev eth0");
      assertThat(inside.lines().filter(line -> line.contains("fd00:65::2/128")))
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("scope global nodad")
          .doesNotContain("tentative");
      assertThat(host.exec("ip", "-6", "route").stdout()).contains("fd00:65::2 dev " + veth);
      assertThat(host.exec("ip", "-6", "address", "show", veth).stdout()).contains(gateway);
      for (String on : List.of("proxy_ndp", "forwarding")) {
        assertThat(sysctl(host, "ipv6/conf/%s/" + on, veth)).as(on).isEqualTo("1");
      }
      for (String off : List.of("accept_dad", "disable_ipv6")) {
        assertThat(sysctl(host, "ipv6/conf/%s/" + off, veth)).as(off).isEqualTo("0");
      }
      assertThat(sysctl(pod, "ipv6/conf/all/forwarding", "")).isEqualTo("0");
    } else {
      assertThat(inside).doesNotContain("scope global");
    }
    assertThat(sysctl(host, "ipv6/conf/%s/accept_ra", veth)).isEqualTo("0");
    assertThat(host.exec("ip", "neigh").stdout()).as("no entry by hand").doesNotContain("169.254");
    eth0.previous(result).check().ok();
    eth0.status().ok();
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
    assertThat(pod.json("ip", "-j", "link").size()).as("only lo").isEqualTo(1);
    eth0.del().ok();
  }

  @ParameterizedTest
  @EnumSource
  default void podsReachEachOtherAndTheHost(Families families, Host host, Host a, Host b) {
    CalicoNode node = node(host);
    giveAddresses(host);
    JsonNode first = node.pod(node.kubernetes(families.subnets()), a, "test", "a").add().ok();
    JsonNode second = node.pod(node.kubernetes(families.subnets()), b, "test", "b").add().ok();

    for (int at = 0; at < first.path("ips").size(); at++) {
      a.exec("ping", "-c1", "-W5", address(second, at));
      b.exec("ping", "-c1", "-W5", address(first, at));
      host.exec("ping", "-c1", "-W5", address(first, at));
    }
    if (families.hasV4()) {
      a.exec("ping", "-c1", "-W5", "192.0.2.1");
    }
    if (families.hasV6()) {
      a.exec("ping", "-c1", "-W5", "2001:db8::1");
    }
  }

  @Test
  default void aPodsNewContainerTakesOverAndTheOldOnesDelDoesNoHarm(Host host, Host x, Host y) {
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
  default void aLateDelAfterADelDoesNoHarm(Host host, Host x, Host y) {
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
  default void theSameContainerAgainIsTheSame(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling strict = node.pod(node.kubernetes(V4), pod, "test", "web-0");
    Calling eth0 = strict.set("cniVersion", CniJson.parse("\"1.0.0\""));
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
  default void anotherInterfaceOfThePodKeepsTheEndpointsName(Host host, Host pod, Host other) {
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
  default void aLinkOfThatNameOnTheHostMakesWay(Host host, Host pod) {
    CalicoNode node = node(host);
    host.exec("ip", "link", "add", "cali7b07e5871ca", "type", "veth", "peer", "name", "old0");
    giveAddresses(host);

    JsonNode result = node.pod(node.kubernetes(V4), pod, "test", "web-0").add().ok();

    host.exec("ping", "-c1", "-W5", address(result, 0));
  }

  @Test
  default void nothingIsDoneWhileTheClusterIsNotReady(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = node.pod(node.kubernetes(V4), pod, "test", "web-0");
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
  default void manyAddsAndDelsOfOnePodEndInOrder(Host host, Host x, Host y) throws Exception {
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
  default void gcRemovesWhatNobodyNames(Host host, Host a, Host b) {
    CalicoNode node = node(host);
    Calling kept = node.pod(node.kubernetes(V4), a, "test", "a");
    JsonNode result = kept.add().ok();
    node.pod(node.kubernetes(V4), b, "test", "b").add().ok();

    kept.set(
            "cni.dev/valid-attachments",
            CniJson.parse("[{\"containerID\": \"%s\", \"ifname\": \"eth0\"}]".formatted(a.name())))
        .gc()
        .ok();

    assertThat(host.exec("ip", "link").stdout().lines().filter(line -> line.contains("cali")))
        .hasSize(1);
    if (store().keepsEndpoints()) {
      assertThat(only(node).key().name()).isEqualTo("node--a-k8s-a-eth0");
    }
    kept.previous(result).check().ok();
    kept.set("cni.dev/valid-attachments", CniJson.parse("[]")).gc().ok();
    assertThat(node.traces().stream().filter(trace -> !isPod(trace))).isEmpty();
    assertThat(node.files().resolve("leases/net1").toFile().list())
        .allMatch(name -> !name.startsWith("10.65.0."));
  }

  /**
   * GC leaves the annotations of pods alone: it has no list of them, and no permission to get one.
   */
  private boolean isPod(String trace) {
    return !store().keepsEndpoints() && trace.startsWith("WorkloadEndpoint");
  }
}
