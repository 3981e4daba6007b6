package io.ocicat.plugins.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ArrayNode;

/** GC removes what belongs to no valid attachment of this network, and nothing else. */
@Hosts
class BridgeGcTest {
  @TempDir Path leases;
  @TempDir Path scripts;
  private ScriptedIpam ipam;

  @BeforeEach
  void scriptIpam() {
    ipam = ScriptedIpam.in(scripts);
  }

  @Test
  void whatIsNotValidGoes(Host host, Host one, Host two) {
    BridgeNetwork network = network(host);
    String stale = add(network, one, 1);
    String kept = add(network, two, 2);
    String other = add(network.with("name", CniJson.parse("\"green\"")), one, 3);

    ipam.found(valid(network, two).attach(one)).gc().ok();

    assertThat(Left.on(host, leases).links()).containsExactly(kept, other).doesNotContain(stale);
    String ruleset = host.exec("nft", "list", "ruleset").stdout();
    assertThat(ruleset)
        .contains(kept, other, "10.1.2.2", "10.1.2.3")
        .doesNotContain(stale, "10.1.2.1/");
    assertThat(ipam.calls()).endsWith("GC");
    assertThat(one.json("ip", "-j", "link").size()).as("lo and the other network's").isEqualTo(2);
  }

  @Test
  void nothingIsValid(Host host, Host one, Host two) {
    BridgeNetwork network = network(host);
    add(network, one, 1);
    add(network, two, 2);

    ipam.found(valid(network).attach(one)).gc().ok();

    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
  }

  @Test
  void aRuntimeThatDoesNotSayLosesNothing(Host host, Host one) {
    BridgeNetwork network = network(host);
    add(network, one, 1);
    Left before = Left.on(host, leases);

    ipam.found(network.attach(one)).gc().ok();

    assertThat(Left.on(host, leases)).isEqualTo(before);
    assertThat(ipam.calls()).doesNotContain("GC");
  }

  /** Their owner is unknown; but the port is gone, so they are stale. */
  @Test
  void spoofChecksOfTheOriginalGoWithTheirPorts(Host host, Host one, Host two) {
    BridgeNetwork network = BridgeNetwork.on(host).version("1.0.0").with("macspoofchk", true);
    network.attach(one).by(Side.GO).add().ok();
    network.attach(two).by(Side.GO).add().ok();
    one.exec("ip", "link", "delete", "eth0");

    valid(network.version("1.1.0")).attach(one).gc().ok();

    assertThat(host.exec("nft", "list", "ruleset").stdout())
        .contains("cni-br-iface-" + two.name())
        .doesNotContain(one.name());
  }

  private BridgeNetwork network(Host host) {
    return ipam.of(BridgeNetwork.on(host)).with("ipMasq", true).with("macspoofchk", true);
  }

  /** The name of its port. */
  private String add(BridgeNetwork network, Host pod, int number) {
    ipam.answering(
        "{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.2.%d/24\"}]}".formatted(number));
    Attaching attachment = network.attach(pod).with("CNI_IFNAME", "eth" + number);
    return ipam.found(attachment).add().ok().at("/interfaces/1/name").asString();
  }

  private static BridgeNetwork valid(BridgeNetwork network, Host... pods) {
    ArrayNode list = Json.array(List.of());
    for (Host pod : pods) {
      for (int i = 1; i <= 3; i++) {
        list.addObject().put("containerID", pod.name()).put("ifname", "eth" + i);
      }
    }
    return network.with("cni.dev/valid-attachments", list);
  }
}
