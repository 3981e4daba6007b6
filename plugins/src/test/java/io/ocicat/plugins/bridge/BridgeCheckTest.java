package io.ocicat.plugins.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** CHECK verifies everything that ADD created. */
@Hosts
class BridgeCheckTest {
  @TempDir Path leases;

  @ParameterizedTest
  @ValueSource(strings = {"0.4.0", "1.0.0"})
  void whatAddMadeIsInOrder(String version, Host host, Host pod) {
    BridgeNetwork network = network(host).version(version);
    JsonNode result = network.attach(pod).add().ok();

    network.after(result).attach(pod).check().ok();
    network.after(result).attach(pod).by(Side.GO).check().ok();
  }

  @Test
  void whatTheOriginalMadeIsInOrder(Host host, Host pod) {
    BridgeNetwork network = network(host);
    JsonNode result = network.attach(pod).by(Side.GO).add().ok();

    network.after(result).attach(pod).check().ok();
  }

  @Test
  void aNetworkWithoutAddressesIsInOrder(Host host, Host pod) {
    BridgeNetwork network = BridgeNetwork.on(host);
    JsonNode result = network.attach(pod).add().ok();

    network.after(result).attach(pod).check().ok();
  }

  @Test
  void aDisabledInterfaceIsInOrder(Host host, Host pod) {
    BridgeNetwork network = BridgeNetwork.on(host).with("disableContainerInterface", true);
    JsonNode result = network.attach(pod).add().ok();

    network.after(result).attach(pod).check().ok();
  }

  /** Commands run on the host, or with {@code pod:} in the container; PORT is the host end. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pod: ip address delete 10.1.2.2/24 dev eth0 | failed to match addr 10.1.2.2/24 on"
            + " interface eth0",
        "pod: ip route delete default | expected route 0.0.0.0/0 via 10.1.2.1 not found",
        "pod: ip link set eth0 down | container interface \"eth0\" is down",
        "pod: ip link set eth0 address 02:00:00:00:00:01 | \"eth0\" has the hardware address"
            + " 02:00:00:00:00:01, not ",
        "pod: ip link set eth0 name eth7 | link \"eth0\" not found",
        "ip link set br0 down | bridge \"br0\" is down",
        "ip link delete br0 | link \"br0\" not found",
        "ip link set br0 address 02:00:00:00:00:01 | \"br0\" has the hardware address"
            + " 02:00:00:00:00:01, not ",
        "ip address delete 10.1.2.1/24 dev br0 | \"br0\" does not have the gateway address"
            + " 10.1.2.1/24",
        "ip link set PORT nomaster | \"PORT\" is not a port of bridge \"br0\"",
        "ip link set PORT address 02:00:00:00:00:01 | \"PORT\" has the hardware address"
            + " 02:00:00:00:00:01, not ",
        "ip link set PORT name port0 | link \"PORT\" not found",
        "ip link set PORT type bridge_slave hairpin on | \"PORT\" has hairpin mode on, not off",
        "nft flush set bridge ocicat_macspoofchk guarded | macspoofchk: nothing keeps \"PORT\" to"
            + " the hardware address",
        "nft flush set bridge ocicat_macspoofchk allowed | macspoofchk: nothing keeps \"PORT\" to"
            + " the hardware address",
        "nft flush chain bridge ocicat_macspoofchk prerouting | macspoofchk: nothing keeps \"PORT\""
            + " to the hardware",
        "nft delete table bridge ocicat_macspoofchk | macspoofchk: nothing keeps \"PORT\" to the"
            + " hardware address",
        "nft delete table inet ocicat_masquerade | address 10.1.2.2/24 of blue/",
      })
  void whatIsWrongIsNamed(String command, String problem, Host host, Host pod) {
    BridgeNetwork network = network(host);
    JsonNode result = network.attach(pod).add().ok();
    String port = result.at("/interfaces/1/name").asString();
    boolean inside = command.startsWith("pod: ");
    String[] argv = command.replace("pod: ", "").replace("PORT", port).split(" ");
    (inside ? pod : host).exec(argv);

    assertThat(network.after(result).attach(pod).check().error().msg())
        .startsWith(problem.replace("PORT", port));
  }

  /** The firewall plugin does so with ingressPolicy isolated. */
  @Test
  void aPortMayBeIsolatedBySomebodyElse(Host host, Host pod) {
    BridgeNetwork network = network(host);
    JsonNode result = network.attach(pod).add().ok();
    String port = result.at("/interfaces/1/name").asString();

    host.exec("ip", "link", "set", port, "type", "bridge_slave", "isolated", "on");

    network.after(result).attach(pod).check().ok();
  }

  @Test
  void aPortThatIsToBeIsolatedMustBe(Host host, Host pod) {
    BridgeNetwork network = BridgeNetwork.on(host).with("portIsolation", true);
    JsonNode result = network.attach(pod).add().ok();
    String port = result.at("/interfaces/1/name").asString();
    network.after(result).attach(pod).check().ok();

    host.exec("ip", "link", "set", port, "type", "bridge_slave", "isolated", "off");

    assertThat(network.after(result).attach(pod).check().error().msg())
        .contains("has port isolation off, not on");
  }

  @Test
  void promiscuousModeMustBeOnWhereItShould(Host host, Host pod) {
    BridgeNetwork network = BridgeNetwork.on(host).with("promiscMode", true);
    JsonNode result = network.attach(pod).add().ok();
    network.after(result).attach(pod).check().ok();

    host.exec("ip", "link", "set", "br0", "promisc", "off");

    assertThat(network.after(result).attach(pod).check().error().msg())
        .isEqualTo("bridge \"br0\" is not in promiscuous mode");
  }

  @Test
  void aResultOfAnotherContainerIsRefused(Host host, Host pod, Host other) {
    BridgeNetwork network = BridgeNetwork.on(host);
    JsonNode result = network.attach(pod).add().ok();

    assertThat(network.after(result).attach(other).check().error().msg())
        .startsWith("prevResult has no container interface \"eth0\" in " + other.path());
  }

  @Test
  void withoutAResultThereIsNothingToCompare(Host host, Host pod) {
    Attaching eth0 = BridgeNetwork.on(host).attach(pod);
    eth0.add().ok();

    assertThat(eth0.check().error().code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(eth0.check().error().msg()).isEqualTo("required prevResult missing");
  }

  @Test
  void statusAsksIpamAndLooksAtTheBridge(Host host, Host pod, @TempDir Path scripts) {
    ScriptedIpam ipam = ScriptedIpam.in(scripts).answering("{}");
    Attaching eth0 = ipam.found(ipam.of(BridgeNetwork.on(host)).attach(pod));

    eth0.status().ok();
    assertThat(ipam.calls()).containsExactly("STATUS");

    host.exec("ip", "link", "add", "br0", "type", "veth", "peer", "name", "other");
    assertThat(eth0.status().error().code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    assertThat(eth0.withConfig(Json.compact(CniJson.parse(eth0.config()))).status().error().msg())
        .isEqualTo("\"br0\" already exists but is not a bridge");
  }

  private BridgeNetwork network(Host host) {
    return BridgeNetwork.on(host)
        .version("1.0.0")
        .with("isDefaultGateway", true)
        .with("ipMasq", true)
        .with("macspoofchk", true)
        .addresses(leases, "10.1.2.0/24");
  }
}
