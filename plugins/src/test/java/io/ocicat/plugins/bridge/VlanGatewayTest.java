package io.ocicat.plugins.bridge;

import static io.ocicat.plugins.bridge.BridgePluginTest.link;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The host's interface in a VLAN, as far as a kernel without VLAN filtering supports it. */
@Hosts
class VlanGatewayTest {
  private NetnsSockets net;
  private BridgeConf conf;
  private HostBridge bridge;

  @BeforeEach
  void open(Host host) {
    host.exec("ip", "link", "add", "br0", "type", "bridge");
    net = NetnsSockets.of(host.path());
    conf =
        BridgeConf.read(
            PluginConfig.ofRequest(
                "{\"bridge\":\"br0\",\"vlan\":100,\"isGateway\":true}".getBytes(UTF_8)));
    bridge = HostBridge.ensure(net, conf);
  }

  @AfterEach
  void close() {
    net.close();
  }

  @Test
  void oneThatIsThereIsUsed(Host host) {
    host.exec("ip", "link", "add", "br0.100", "type", "veth", "peer", "name", "port");

    VlanGateway gateway = VlanGateway.ensure(net, bridge, conf);

    assertThat(gateway.name()).isEqualTo("br0.100");
    assertThat(gateway.mac()).hasToString(link(host, "br0.100").path("address").asString());
    assertThat(link(host, "br0.100").path("flags").toString()).contains("\"UP\"");
    assertThat(gateway.inResult().isOnHost()).isTrue();
  }

  @Test
  void somethingElseOfThatNameIsRefused(Host host) {
    host.exec("ip", "link", "add", "br0.100", "type", "bridge");

    CniException error =
        catchThrowableOfType(CniException.class, () -> VlanGateway.ensure(net, bridge, conf));

    assertThat(error.msg()).isEqualTo("\"br0.100\" already exists but is not a veth");
  }

  /** The next ADD would consider half of one complete. */
  @Test
  void oneThatCannotBeFinishedGoesAgain(Host host) {
    CniException error =
        catchThrowableOfType(CniException.class, () -> VlanGateway.ensure(net, bridge, conf));

    assertThat(error.code()).isEqualTo(ErrorCode.UNSUPPORTED_FIELD);
    assertThat(error.msg()).startsWith("vlan 100 is not supported by this kernel");
    assertThat(host.json("ip", "-j", "link", "show", "type", "veth").size()).isZero();
  }
}
