package io.ocicat.plugins.bridge;

import static io.ocicat.plugins.bridge.BridgePluginTest.addresses;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.AtOnce;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Ran;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Concurrent calls on one fresh network. */
@Hosts
class BridgeConcurrencyTest {
  private static final int EACH = 10;

  @TempDir Path leases;

  @Test
  void fiftyContainersMakeOneBridge(Host host, Host one, Host two, Host three, Host four, Host five)
      throws Exception {
    BridgeNetwork network =
        BridgeNetwork.on(host)
            .version("1.0.0")
            .with("isDefaultGateway", true)
            .with("ipMasq", true)
            .with("macspoofchk", true)
            .addresses(leases, "10.1.2.0/24", "2001:db8:1::/64");
    List<Attaching> attachments = new ArrayList<>();
    for (Host pod : List.of(one, two, three, four, five)) {
      for (int i = 0; i < EACH; i++) {
        // Only the first of a pod may have the default route.
        BridgeNetwork part =
            i == 0 ? network : network.with("isDefaultGateway", false).with("isGateway", true);
        attachments.add(part.attach(pod).with("CNI_IFNAME", "eth" + i));
      }
    }

    List<JsonNode> results = AtOnce.adds(attachments).stream().map(Ran::ok).toList();

    assertThat(results)
        .extracting(result -> result.at("/ips/0/address").asString())
        .doesNotHaveDuplicates();
    assertThat(results)
        .extracting(result -> result.at("/interfaces/0/mac").asString())
        .containsOnly(BridgePluginTest.link(host, "br0").path("address").asString());
    assertThat(addresses(host, "br0")).contains("10.1.2.1/24", "2001:db8:1::1/64");
    assertThat(Left.on(host, leases).links()).hasSize(50);
    five.exec("ping", "-c1", "-W2", "10.1.2.1");

    AtOnce.dels(attachments).forEach(Ran::ok);

    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
  }

  /** Concurrent ADDs and DELs, ours and the Go plugin's. */
  @Test
  void bothSidesComeAndGo(Host host, Host one, Host two) throws Exception {
    BridgeNetwork network =
        BridgeNetwork.on(host)
            .version("1.0.0")
            .with("isGateway", true)
            .addresses(leases, "10.1.2.0/24");
    List<Callable<Ran>> lives = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Attaching eth =
          network
              .attach(i % 2 == 0 ? one : two)
              .with("CNI_IFNAME", "eth" + i)
              .by(i % 4 < 2 ? Side.OURS : Side.GO);
      lives.add(
          () -> {
            eth.add().ok();
            Side other = eth.side() == Side.GO ? Side.OURS : Side.GO;
            eth.by(other).del().ok();
            return eth.add();
          });
    }

    List<JsonNode> results = AtOnce.run(lives).stream().map(Ran::ok).toList();

    assertThat(results)
        .extracting(result -> result.at("/ips/0/address").asString())
        .doesNotHaveDuplicates();
    assertThat(Left.on(host, leases).leases()).hasSize(8);
    assertThat(Left.on(host, leases).links()).hasSize(8);
  }
}
