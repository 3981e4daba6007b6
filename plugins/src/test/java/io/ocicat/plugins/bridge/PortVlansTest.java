package io.ocicat.plugins.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

/**
 * VLANs of ports. The project's kernel has no VLAN filtering: the requests are checked here one by
 * one (BridgeVlansTest checks their bytes), and the errors of such a kernel.
 */
@Hosts
class PortVlansTest {
  @TempDir Path leases;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | [] | false",
        "{\"vlanTrunk\":[]} | [] | true",
        "{\"vlan\":100} | [delete vid 1 dev 7, add vid 100 pvid untagged dev 7] | true",
        "{\"vlan\":100,\"preserveDefaultVlan\":true} | [add vid 100 pvid untagged dev 7] | true",
        "{\"vlanTrunk\":[{\"id\":101},{\"minID\":200,\"maxID\":210}]} | [delete vid 1 dev 7, add vid 1 pvid untagged dev 7, add vid 101 dev 7, add vid 200-210 dev 7] | true",
        "{\"vlan\":100,\"vlanTrunk\":[{\"id\":101},{\"minID\":200,\"maxID\":210}]} | [delete vid 1 dev 7, add vid 100 pvid untagged dev 7, add vid 101 dev 7, add vid 200-210 dev 7] | true",
        "{\"vlan\":100,\"vlanTrunk\":[{\"minID\":99,\"maxID\":101}]} | [delete vid 1 dev 7, add vid 100 pvid untagged dev 7, add vid 99 dev 7, add vid 101 dev 7] | true",
        "{\"vlanTrunk\":[{\"minID\":1,\"maxID\":2}],\"preserveDefaultVlan\":true} | [add vid 1 pvid untagged dev 7, add vid 2 dev 7] | true",
      })
  void aPortIsGivenWhatItMayTakePartIn(String config, String requests, boolean filtering) {
    PortVlans vlans = read(config);

    assertThat(vlans.program(7, 1).stream().map(NetlinkRequest::operation).toList())
        .asString()
        .isEqualTo(requests);
    assertThat(vlans.needFiltering()).isEqualTo(filtering);
  }

  @Test
  void aPortThatWasBornIntoNoVlanLosesNone() {
    assertThat(read("{\"vlan\":100}").program(7, 0).stream().map(NetlinkRequest::operation))
        .containsExactly("add vid 100 pvid untagged dev 7");
  }

  @Test
  void theGatewayOfAVlanTakesPartInThatOneOnly() {
    PortVlans vlans = read("{\"vlan\":100,\"vlanTrunk\":[{\"id\":101}]}").accessOnly();

    assertThat(vlans.program(7, 1).stream().map(NetlinkRequest::operation))
        .containsExactly("delete vid 1 dev 7", "add vid 100 pvid untagged dev 7");
  }

  /** Fails on a kernel with VLAN filtering: then these scenarios can be tested for real. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"vlan\":100} | vlan 100",
        "{\"vlanTrunk\":[{\"id\":101}]} | vlanTrunk [101]",
        "{\"vlanTrunk\":[]} | vlanTrunk []"
      })
  void aKernelThatCannotFilterSaysSo(String config, String field, Host host, Host pod) {
    CniException error = with(BridgeNetwork.on(host), config).attach(pod).add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.UNSUPPORTED_FIELD);
    assertThat(error.msg())
        .isEqualTo(field + " is not supported by this kernel: bridges cannot filter VLANs");
    assertThat(error.details()).contains("CONFIG_BRIDGE_VLAN_FILTERING", "EOPNOTSUPP");
    assertThat(host.json("ip", "-j", "link").size()).as("no bridge either").isEqualTo(1);
  }

  @Test
  void onABridgeOfOthersTheVethGoesAgain(Host host, Host pod) {
    host.exec("ip", "link", "add", "br0", "type", "bridge");

    CniException error =
        BridgeNetwork.on(host)
            .version("1.0.0")
            .with("vlan", 100)
            .with("isGateway", true)
            .addresses(leases, "10.1.2.0/24")
            .attach(pod)
            .add()
            .error();

    assertThat(error.code()).isEqualTo(ErrorCode.UNSUPPORTED_FIELD);
    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
    assertThat(pod.json("ip", "-j", "link").size()).isEqualTo(1);
  }

  private static PortVlans read(String config) {
    return CniJson.read((ObjectNode) CniJson.parse(config), PortVlans::read);
  }

  private static BridgeNetwork with(BridgeNetwork network, String config) {
    ObjectNode options = (ObjectNode) CniJson.parse(config);
    BridgeNetwork changed = network;
    for (String name : List.copyOf(options.propertyNames())) {
      changed = changed.with(name, options.get(name));
    }
    return changed;
  }
}
