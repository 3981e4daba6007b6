package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.PluginConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.masquerade.Masquerade;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Who masquerades traffic from a pool, and towards which destinations. */
@Hosts
class NatOutgoingTest {
  @TempDir Path files;
  @TempDir Path state;

  @SuppressWarnings("NullAway.Init") // by open
  private Store store;

  @BeforeEach
  void open() {
    store = Store.embedded(state);
    store.reset();
    store.pool("pods", "10.65.0.0/16", true);
    store.pool("others", "10.66.0.0/16", true);
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** The outside has no route back to a pool, so that only masqueraded traffic is answered. */
  private CalicoNode node(Host host, Host outside) {
    host.connect(outside, "192.0.2.1/24", "192.0.2.2/24");
    host.exec("ip", "route", "add", "default", "via", "192.0.2.2");
    outside.exec("ip", "address", "add", "10.66.0.9/32", "dev", "lo");
    return CalicoNode.of(host, store, files);
  }

  private ObjectNode config(CalicoNode node) {
    return node.config("10.65.0.0/24").put("endpoint_status_dir", files.resolve("s").toString());
  }

  private static boolean reaches(Host pod, String address) {
    return pod.tryExec("ping", "-c1", "-W1", address).exitCode() == 0;
  }

  private static String rules(Host host) {
    return host.exec("nft", "list", "ruleset").stdout();
  }

  @Test
  void towardsAnAddressOfAnyPoolPodsAreThemselves(Host host, Host pod, Host outside) {
    CalicoNode node = node(host, outside);
    node.call(config(node), pod).add().ok();

    assertThat(reaches(pod, "192.0.2.2")).as("masqueraded").isTrue();
    assertThat(reaches(pod, "10.66.0.9")).as("of another pool, so not masqueraded").isFalse();
  }

  @Test
  void nothingIsMasqueradedWhereFelixHasItsTable(Host host, Host pod, Host outside) {
    CalicoNode node = node(host, outside);
    host.exec("nft", "add", "table", "ip", "calico");
    Calling eth0 = node.call(config(node), pod);

    JsonNode result = eth0.add().ok();

    assertThat(rules(host)).doesNotContain("masquerade", "ocicat");
    eth0.previous(result).check().ok();
  }

  @Test
  void nothingIsMasqueradedWhereFelixHasItsChain(Host host, Host pod, Host outside) {
    CalicoNode node = node(host, outside);
    host.exec("nft", "add", "table", "ip", "nat");
    host.exec("nft", "add", "chain", "ip", "nat", "cali-nat-outgoing");

    node.call(config(node), pod).add().ok();

    assertThat(rules(host)).doesNotContain("masquerade", "ocicat");
  }

  @Test
  void nothingIsMasqueradedWhereAnAgentWritesStatusFiles(Host host, Host pod, Host outside)
      throws Exception {
    CalicoNode node = node(host, outside);
    Files.createDirectories(files.resolve("s"));
    Files.writeString(files.resolve("s").resolve("k8s a%2Fb eth0"), "{}");

    node.call(config(node), pod).add().ok();

    assertThat(rules(host)).doesNotContain("masquerade", "ocicat");
  }

  @Test
  void aPodThatGoHasAttachedIsNoProblemForCheck(Host host, Host pod, Host outside) {
    CalicoNode node = node(host, outside);
    Calling eth0 = node.call(config(node), pod);
    JsonNode result = eth0.add().ok();
    // Go's plugin leaves nothing of the container's in our tables.
    host.tryExec("nft", "delete", "table", "inet", "ocicat_masquerade");

    eth0.previous(result).check().ok();
  }

  /** Like the daemon, for a network that a call has used. */
  private WatchedNatPools followed(CalicoNode node) {
    WatchedNatPools pools = new WatchedNatPools();
    PluginConfig config = PluginConfig.of(config(node));
    CalicoBackend backend =
        CalicoBackend.of(config.json(), store.environment(), store.datastores()::of);
    pools.register(new NetworkName("net1"), CalicoConf.read(config), node.name(), backend);
    return pools;
  }

  private static void look(WatchedNatPools pools, Host host, boolean thorough) {
    List<String> troubles = new ArrayList<>();
    pools.reconcile(host.path(), thorough, troubles::add);
    assertThat(troubles).isEmpty();
  }

  private void change(String pool, boolean natOutgoing) {
    Resource stored = store.open().get(ResourceKey.of(Kind.IP_POOL, pool));
    store
        .open()
        .update(stored.edit(json -> json.withObject("/spec").put("natOutgoing", natOutgoing)));
  }

  @Test
  void aPoolThatChangesIsFollowedWithoutACall(Host host, Host pod, Host outside) {
    CalicoNode node = node(host, outside);
    node.call(config(node), pod).add().ok();
    WatchedNatPools pools = followed(node);

    change("pods", false);
    Eventually.await(
        "the pool to be followed",
        Duration.ofSeconds(20),
        () -> {
          look(pools, host, false);
          return !reaches(pod, "192.0.2.2");
        });
    change("pods", true);
    Eventually.await(
        "the pool to be followed back",
        Duration.ofSeconds(20),
        () -> {
          look(pools, host, false);
          return reaches(pod, "192.0.2.2");
        });
  }

  @Test
  void whenAnAgentComesItsRulesAreTheOnlyOnes(Host host, Host pod, Host outside) {
    CalicoNode node = node(host, outside);
    node.call(config(node), pod).add().ok();
    WatchedNatPools pools = followed(node);
    look(pools, host, false);
    assertThat(rules(host)).contains("masquerade");

    host.exec("nft", "add", "table", "ip", "calico");
    look(pools, host, false);
    assertThat(rules(host)).doesNotContain("masquerade");

    host.exec("nft", "delete", "table", "ip", "calico");
    look(pools, host, false);
    assertThat(reaches(pod, "192.0.2.2")).isTrue();
  }

  @Test
  void nodesAreExcludedWhereFelixIsConfiguredSo(Host host, Host pod, Host outside) {
    CalicoNode node = node(host, outside);
    node.call(config(node), pod).add().ok();
    WatchedNatPools pools = followed(node);
    store
        .open()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.NODE, "", "node-b"),
                spec -> spec.putObject("bgp").put("ipv4Address", "192.0.2.2/24")));
    look(pools, host, true);
    assertThat(reaches(pod, "192.0.2.2")).isTrue();

    store
        .open()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.FELIX_CONFIGURATION, "", "default"),
                spec -> spec.put("natOutgoingExclusions", "IPPoolsAndHostIPs")));
    look(pools, host, true);
    assertThat(reaches(pod, "192.0.2.2")).isFalse();
    look(pools, host, false);
    assertThat(reaches(pod, "192.0.2.2")).as("a quick look leaves it so").isFalse();
  }

  @Test
  void whatSomebodyRemovedFromTheTableIsPutBack(Host host, Host pod, Host outside) {
    CalicoNode node = node(host, outside);
    node.call(config(node), pod).add().ok();
    WatchedNatPools pools = followed(node);
    String table =
        rules(host)
            .lines()
            .filter(line -> line.startsWith("table inet ocicat_nat_outgoing"))
            .map(line -> line.split(" ", -1)[2])
            .findFirst()
            .orElseThrow();

    host.exec("nft", "flush", "chain", "inet", table, "postrouting");
    assertThat(reaches(pod, "192.0.2.2")).isFalse();
    look(pools, host, true);
    assertThat(reaches(pod, "192.0.2.2")).isTrue();
  }

  @Test
  void elementsThatEarlierVersionsMadeGo(Host host, Host pod, Host outside) {
    CalicoNode node = node(host, outside);
    AttachmentOwner owner =
        AttachmentOwner.of(new NetworkName("net1"), new Attachment("old", "eth0")).orElseThrow();
    try (NetnsSockets net = NetnsSockets.of(host.path())) {
      Masquerade.install(net, owner, List.of(IpPrefix.parse("10.65.0.77/16")));
    }

    node.call(config(node), pod).add().ok();

    assertThat(rules(host)).doesNotContain("10.65.0.77");
  }
}
