package io.ocicat.agent.kernel;

import static io.ocicat.agent.kernel.FilterNode.OPEN;
import static io.ocicat.agent.kernel.FilterNode.policy;
import static io.ocicat.agent.kernel.FilterNode.profile;
import static io.ocicat.agent.kernel.Rules.UDP;
import static io.ocicat.agent.kernel.Rules.rule;
import static io.ocicat.agent.kernel.Rules.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.filter.TierRules;
import io.ocicat.agent.filter.WorkloadFilter;
import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.nflog.LoggedPacket;
import io.ocicat.netlink.nflog.PacketLog;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The order in which rule lists decide, and what comes before and after them. */
@Hosts
class FilterTiersTest {
  private FilterNode node;
  private FilterPod client;
  private FilterPod server;

  @BeforeEach
  void connect(Host host, Host first, Host second) {
    node = new FilterNode(host);
    client = node.pod(first, 1);
    server = node.pod(second, 2);
    list("allow-80", PolicyAction.ALLOW, "80");
    list("deny-80", PolicyAction.DENY, "80");
    list("pass-80", PolicyAction.PASS, "80");
    list("allow-80-90", PolicyAction.ALLOW, "80:90");
  }

  @AfterEach
  void close() {
    node.close();
  }

  private void list(String name, PolicyAction action, String ports) {
    node.filter.setRules(policy(name), List.of(rule(action, UDP).destination(with().ports(ports))));
  }

  private static TierRules tier(String name, boolean passes, String... policies) {
    return new TierRules(name, List.of(policies).stream().map(FilterNode::policy).toList(), passes);
  }

  private void ingress(EndpointRules rules) {
    node.endpoint(server, rules, OPEN);
    node.apply();
  }

  private void tiers(TierRules... tiers) {
    ingress(FilterNode.rules(List.of(tiers), List.of(profile("open"))));
  }

  private void allowed(int port) {
    assertThat(client.udp(server, server.v4(), port)).as("%d: %s", port, node.table()).isTrue();
  }

  private void denied(int port) {
    assertThat(client.udpDenied(server, server.v4(), port))
        .as("%d: %s", port, node.table())
        .isTrue();
  }

  @Test
  void theFirstRuleThatMatchesDecides() {
    tiers(tier("default", false, "allow-80", "deny-80"));
    allowed(80);
    denied(81);
    tiers(tier("default", false, "deny-80", "allow-80"));
    denied(80);
    tiers(tier("default", true, "deny-80"));
    denied(80);
    allowed(81);
  }

  @Test
  void passLeavesTheTier() {
    tiers(tier("a", false, "pass-80", "deny-80"), tier("b", false, "allow-80-90"));
    allowed(80);
    denied(81);
    tiers(tier("a", false, "pass-80"), tier("b", false, "deny-80"));
    denied(80);
    tiers(tier("a", true, "pass-80", "deny-80"), tier("b", true, "pass-80"));
    allowed(80);
    allowed(99);
    tiers(tier("a", false, "pass-80"), tier("b", false, "pass-80"), tier("c", false, "pass-80"));
    allowed(80);
    denied(81);
    // The list gets and loses its Pass rule while others use it.
    list("pass-80", PolicyAction.DENY, "80");
    node.apply();
    denied(80);
    list("pass-80", PolicyAction.PASS, "80");
    node.apply();
    allowed(80);
  }

  @Test
  void profilesComeLast() {
    ingress(FilterNode.rules(List.of(), List.of(profile("missing"))));
    denied(80);
    ingress(FilterNode.rules(List.of(), List.of(policy("pass-80"), policy("allow-80-90"))));
    allowed(80);
    denied(91);
    ingress(new EndpointRules(List.of(), List.of(policy("deny-80")), EndpointRules.End.CONTINUE));
    denied(80);
    allowed(81);
    ingress(EndpointRules.CLOSED);
    denied(81);
  }

  @Test
  void sixTiersCanPass() {
    List<TierRules> tiers = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      tiers.add(tier("t" + i, false, "pass-80"));
    }
    ingress(FilterNode.rules(tiers, List.of(profile("open"))));
    allowed(80);
    denied(81);
    tiers.add(tier("t6", false, "pass-80"));
    node.endpoint(server, FilterNode.rules(tiers, List.of(profile("open"))), OPEN);
    node.tryApply();
    assertThat(node.now().problems()).hasSize(1).first().asString().contains("too many tiers");
    denied(80);
    tiers.removeLast();
    ingress(FilterNode.rules(tiers, List.of(profile("open"))));
    allowed(80);
  }

  @Test
  void theSenderIsAskedAndThenTheReceiver() {
    RuleListId out = new RuleListId("np/default/out", PolicyDirection.EGRESS);
    node.filter.setRules(
        out, List.of(rule(PolicyAction.ALLOW, UDP).destination(with().ports("80:82"))));
    node.endpoint(
        client,
        OPEN,
        FilterNode.rules(List.of(new TierRules("default", List.of(out), false)), List.of()));
    tiers(tier("default", false, "deny-80", "allow-80-90"));
    denied(80);
    allowed(81);
    denied(83);
    assertThat(server.udp(client, client.v4(), 83)).as("replies need no rule").isTrue();
  }

  @Test
  void establishedConnectionsGoOn() {
    tiers(tier("default", false, "allow-80"));
    assertThat(client.udp(server, server.v4(), 80, 4000, true)).isTrue();
    list("allow-80", PolicyAction.DENY, "80");
    node.apply();
    denied(80);
  }

  @Test
  void whoWatchesSeesWhyAPacketWasDenied() {
    tiers(tier("default", false, "deny-80"));
    try (NetNs namespace = NetNs.open(node.host.path());
        Monitor<LoggedPacket> log = PacketLog.open(namespace, PolicyTable.DENIED_GROUP)) {
      denied(80);
      assertThat(reason(log)).isEqualTo("by np/default/deny-80 ingress rule 0");
      denied(81);
      assertThat(reason(log)).isEqualTo("at the end of tier default ingress");
      assertThat(node.table())
          .contains("chain " + PolicyTable.chain(policy("deny-80")) + " {")
          .contains("comment \"rule 0\"");
    }
  }

  private String reason(Monitor<LoggedPacket> log) {
    while (true) {
      if (log.poll(Duration.ofSeconds(10)).orElseThrow()
              instanceof Monitor.Changed<LoggedPacket>(LoggedPacket packet)
          && packet.addresses().filter(it -> it.protocol() == UDP).isPresent()) {
        return packet.prefix();
      }
    }
  }

  @Test
  void aWorkloadSendsFromItsOwnAddressesOnly() {
    node.apply();
    client.host().exec("ip", "address", "add", "10.65.0.77/32", "dev", "eth0");
    client.host().exec("ip", "address", "add", "fd00:65::77/128", "dev", "eth0", "nodad");
    assertThat(client.pingDeniedFrom("10.65.0.77", server.v4())).isTrue();
    assertThat(client.pingDeniedFrom("fd00:65::77", server.v6())).isTrue();
    assertThat(client.ping(server.v6())).isTrue();
    assertThat(client.ping("fe80::1%eth0")).as("its link: %s", node.table()).isTrue();
    WorkloadFilter before = node.filter.workloads().get(client.link());
    assertThat(before).isNotNull();
    node.filter.setWorkload(
        new WorkloadFilter(
            client.link(),
            "a",
            OPEN,
            OPEN,
            List.of(IpPrefix.parse("10.65.0.64/26"), IpPrefix.parse("fd00:65::77/128"))));
    node.apply();
    assertThat(client.spoofed("10.65.0.77", server, server.v4())).isTrue();
    assertThat(client.spoofed("fd00:65::77", server, server.v6())).isTrue();
  }

  @Test
  void workloadsReachTheHostAsConfigured() {
    FilterPod host = new FilterPod(node.host, 0);
    node.apply();
    node.host.exec("ip", "address", "add", "10.0.0.9/32", "dev", "lo");
    assertThat(client.udp(host, "10.0.0.9", 53)).isTrue();
    node.endpoint(client, OPEN, EndpointRules.CLOSED);
    node.apply();
    assertThat(client.udpDenied(host, "10.0.0.9", 53)).isTrue();
    assertThat(host.udp(client, client.v4(), 53)).as("host to its pods").isTrue();
    assertThat(host.ping(client.v6())).as("discovery works").isTrue();
    node.endpoint(client, EndpointRules.CLOSED, OPEN);
    node.filter.setSettings(HostSettings.toHostDrop());
    node.apply();
    assertThat(client.udpDenied(host, "10.0.0.9", 53)).isTrue();
    assertThat(host.ping(client.v4())).as("host to its pods: %s", node.table()).isTrue();
    assertThat(client.udp(server, server.v4(), 53)).isTrue();
    assertThat(Optional.of(node.now().problems())).contains(List.of());
  }
}
