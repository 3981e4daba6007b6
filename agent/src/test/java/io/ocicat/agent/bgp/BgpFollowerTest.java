package io.ocicat.agent.bgp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.agent.view.SecretEntry;
import io.ocicat.agent.view.ViewEvent;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a configuration is computed and handed on. */
class BgpFollowerTest {
  private final BgpWorld world = BgpWorld.ofThree();
  private final List<String> handedOn = new ArrayList<>();
  private final AgentConfig config = config(Map.of());
  private long now;
  private WatchedCluster view;
  private BgpFollower follower;

  @BeforeEach
  void start() {
    view = world.view();
    follower =
        new BgpFollower(
            view,
            BgpSettings.of(world.environment),
            entry ->
                world.secrets.getOrDefault(entry, new BgpSecrets.Answer.Missing("does not exist")),
            handedOn::add,
            () -> now);
    follower.follow(config);
  }

  private static AgentConfig config(Map<String, String> environment) {
    return EffectiveConfig.of(
            new ConfigSources(environment, "", List.of(), "kube-master", Map.of()), null)
        .config();
  }

  private void change(ResourceKey key) {
    Resource resource = world.get(key);
    follower.note(
        view.apply(
            new ViewEvent.Changed(key.kind(), List.of(new ResourceEvent.Modified(resource)))));
  }

  private void block(String cidr, String node) {
    world.block(cidr, node);
    change(new ResourceKey.Block(IpPrefix.parse(cidr)));
  }

  private void pass(Duration time) {
    now += time.toNanos();
    follower.follow(config);
  }

  @Test
  void theFirstConfigurationIsHandedOnAtOnce() {
    assertThat(handedOn).hasSize(1).first().asString().contains("Mesh_10_192_0_3");
    assertThat(follower.next()).isEmpty();
  }

  @Test
  void aBurstOfChangesIsOneConfiguration() {
    block("192.168.1.0/26", "kube-master");
    pass(Duration.ofMillis(20));
    block("192.168.2.0/26", "kube-master");
    assertThat(handedOn).hasSize(1);
    assertThat(follower.next()).hasValue(Duration.ofMillis(50).toNanos());
    pass(Duration.ofMillis(40));
    assertThat(handedOn).hasSize(2).last().asString().contains("192.168.1.0/26", "192.168.2.0/26");
    pass(Duration.ofSeconds(10));
    assertThat(handedOn).hasSize(2);
  }

  @Test
  void blocksOfOtherNodesDoNotMatter() {
    block("192.168.1.0/26", "kube-node-1");
    assertThat(follower.next()).isEmpty();
    block("192.168.1.0/26", "kube-master");
    assertThat(follower.next()).isPresent();
    pass(Duration.ofSeconds(1));
    block("192.168.1.0/26", "kube-node-1");
    pass(Duration.ofSeconds(1));
    assertThat(handedOn).hasSize(3).last().asString().doesNotContain("192.168.1.0/26");
  }

  @Test
  void anotherConfigurationOfTheAgentIsFollowed() {
    follower.follow(config(Map.of("FELIX_INTERFACEPREFIX", "tap,cali")));
    now += Duration.ofSeconds(1).toNanos();
    follower.follow(config(Map.of("FELIX_INTERFACEPREFIX", "tap,cali")));
    assertThat(handedOn).hasSize(2).last().asString().contains("-\"tap*\"");
  }

  @Test
  void sessionsAreKeptUntilPasswordsWereLookedFor() {
    SecretEntry entry = new SecretEntry("s", "k");
    world.secrets.put(entry, new BgpSecrets.Answer.Pending());
    world.peer(
        "tor",
        "{'peerIP': '10.225.0.4', 'asNumber': 1,"
            + " 'password': {'secretKeyRef': {'name': 's', 'key': 'k'}}}");
    change(ResourceKey.of(Kind.BGP_PEER, "tor"));
    pass(Duration.ofSeconds(1));
    assertThat(handedOn).hasSize(1);
    world.secrets.put(entry, new BgpSecrets.Answer.Found("pw"));
    follower.noteChange();
    pass(Duration.ofSeconds(1));
    assertThat(handedOn).hasSize(2).last().asString().contains("password \"pw\";");
    assertThat(follower.problems()).isEmpty();
  }

  @Test
  void theLastConfigurationStaysWhenTheNodeIsNotKnown() {
    ResourceKey key = ResourceKey.of(Kind.NODE, "kube-master");
    follower.note(
        view.apply(
            new ViewEvent.Changed(
                key.kind(), List.of(new ResourceEvent.Deleted(key, "9", world.get(key))))));
    pass(Duration.ofSeconds(1));
    assertThat(handedOn).hasSize(1);
    assertThat(follower.problems()).containsExactly("BGP waits: this node's record is not known");
  }
}
