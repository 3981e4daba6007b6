package io.ocicat.plugins.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What {@code macspoofchk} leaves in nf_tables. */
@Hosts
class SpoofCheckTest {

  @Test
  void oneRuleServesAllContainers(Host host, Host one, Host two) {
    Attaching first = guarded(host).attach(one);
    JsonNode result = first.add().ok();
    guarded(host).attach(two).add().ok();
    String port = result.at("/interfaces/1/name").asString();
    String mac = result.at("/interfaces/2/mac").asString();

    assertThat(rules(host))
        .containsExactly("iifname @guarded iifname . ether saddr != @allowed drop");
    String table = host.exec("nft", "list", "table", "bridge", "ocicat_macspoofchk").stdout();
    assertThat(table)
        .contains("\"%s\" comment \"blue/%s/eth0\"".formatted(port, one.name()))
        .contains("\"%s\" . %s comment \"blue/%s/eth0\"".formatted(port, mac, one.name()))
        .contains("blue/" + two.name() + "/eth0");

    first.del().ok();
    assertThat(host.exec("nft", "list", "ruleset").stdout())
        .doesNotContain(port)
        .contains("blue/" + two.name() + "/eth0");
  }

  @Test
  void aTableThatSomebodyRemovedComesBack(Host host, Host one) {
    Attaching eth0 = guarded(host).attach(one);
    eth0.add().ok();
    eth0.del().ok();
    host.exec("nft", "delete", "table", "bridge", "ocicat_macspoofchk");

    eth0.add().ok();

    assertThat(rules(host)).hasSize(1);
  }

  /** The option may have changed since ADD. */
  @Test
  void delLooksWhateverTheConfigurationSays(Host host, Host one) {
    BridgeNetwork network = guarded(host);
    JsonNode result = network.attach(one).add().ok();

    network.with("macspoofchk", false).after(result).attach(one).del().ok();

    assertThat(host.exec("nft", "list", "ruleset").stdout()).doesNotContain("veth");
  }

  /** Ids may be longer than a comment. */
  @Test
  void longNamesAreCutAndStillTellOwnersApart(Host host, Host one, @TempDir Path leases) {
    String id = "a".repeat(200);
    Attaching first = guarded(host).attach(one).with("CNI_CONTAINERID", id + "1");
    Attaching second =
        guarded(host).attach(one).with("CNI_CONTAINERID", id + "2").with("CNI_IFNAME", "eth1");
    first.add().ok();
    String kept = second.add().ok().at("/interfaces/1/name").asString();

    first.withNetns("").del().ok();

    assertThat(host.exec("nft", "list", "ruleset").stdout()).contains(kept);
    assertThat(Left.on(host, leases).links()).containsExactly(kept);
  }

  /** The Go plugin's chains would have longer names than nf_tables allows. */
  @ParameterizedTest
  @ValueSource(ints = {230, 233, 234, 238, 255, 400})
  void idsLongerThanAnyChainsNameAreDeletedAsWell(
      int length, Host host, Host one, @TempDir Path leases) {
    Attaching eth0 =
        guarded(host)
            .with("isGateway", true)
            .with("ipMasq", true)
            .addresses(leases, "10.1.2.0/24")
            .attach(one)
            .with("CNI_CONTAINERID", "a".repeat(length));
    eth0.add().ok();
    eth0.del().ok();

    assertThat(Left.on(host, leases).links()).isEmpty();
    assertThat(host.exec("nft", "list", "ruleset").stdout()).doesNotContain("veth", "aaaa");
  }

  private static BridgeNetwork guarded(Host host) {
    return BridgeNetwork.on(host).with("macspoofchk", true);
  }

  private static List<String> rules(Host host) {
    return host.exec("nft", "list", "chain", "bridge", "ocicat_macspoofchk", "prerouting")
        .stdout()
        .lines()
        .map(String::strip)
        .filter(line -> line.startsWith("iif"))
        .toList();
  }
}
