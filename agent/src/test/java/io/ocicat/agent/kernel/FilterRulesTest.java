package io.ocicat.agent.kernel;

import static io.ocicat.agent.kernel.FilterNode.OPEN;
import static io.ocicat.agent.kernel.FilterNode.only;
import static io.ocicat.agent.kernel.FilterNode.policy;
import static io.ocicat.agent.kernel.Rules.IPS;
import static io.ocicat.agent.kernel.Rules.NETS;
import static io.ocicat.agent.kernel.Rules.PORTS;
import static io.ocicat.agent.kernel.Rules.TCP;
import static io.ocicat.agent.kernel.Rules.UDP;
import static io.ocicat.agent.kernel.Rules.allow;
import static io.ocicat.agent.kernel.Rules.network;
import static io.ocicat.agent.kernel.Rules.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.FilterRule;
import io.ocicat.agent.filter.SetMember;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every criterion of a rule with packets that it should match and packets that it should not. */
@Hosts
class FilterRulesTest {
  private FilterNode node;
  private FilterPod client;
  private FilterPod server;

  @BeforeEach
  void connect(Host host, Host first, Host second) {
    node = new FilterNode(host);
    client = node.pod(first, 1);
    server = node.pod(second, 2);
    node.endpoint(server, only("p"), OPEN);
  }

  @AfterEach
  void close() {
    node.close();
  }

  private void rules(FilterRule... rules) {
    node.filter.setRules(policy("p"), List.of(rules));
    node.apply();
  }

  private void allowed(String address, int... ports) {
    for (int port : ports) {
      assertThat(client.udp(server, address, port)).as("%d: %s", port, node.table()).isTrue();
    }
  }

  private void denied(String address, int... ports) {
    for (int port : ports) {
      assertThat(client.udpDenied(server, address, port)).as("%d: %s", port, node.table()).isTrue();
    }
  }

  @Test
  void familyAndProtocol() {
    rules();
    denied(server.v4(), 80);
    rules(allow(0).family(IpFamily.V4));
    allowed(server.v4(), 80);
    denied(server.v6(), 80);
    rules(allow(0).family(IpFamily.V6));
    allowed(server.v6(), 80);
    denied(server.v4(), 80);
    rules(allow(TCP).done());
    assertThat(client.tcp(server, server.v4(), 80)).isTrue();
    assertThat(client.tcp(server, server.v6(), 80)).isTrue();
    denied(server.v4(), 80);
    FilterRule any = allow(0).done();
    rules(
        new FilterRule(
            0,
            any.action(),
            any.family(),
            any.protocol(),
            OptionalInt.of(UDP),
            any.icmp(),
            any.notIcmp(),
            any.source(),
            any.destination()));
    assertThat(client.tcp(server, server.v4(), 80)).isTrue();
    denied(server.v6(), 80);
  }

  @Test
  void networks() {
    rules(allow(0).source(with().nets("10.65.0.1/32")));
    allowed(server.v4(), 80);
    denied(server.v6(), 80);
    rules(allow(0).source(with().nets("10.65.0.9/32", "10.65.0.2/32", "fd00:65::/64", "fd00::/8")));
    denied(server.v4(), 80);
    allowed(server.v6(), 80);
    rules(allow(0).source(with().nets("10.0.0.0/8", "10.65.0.0/16", "192.168.0.0/16")));
    allowed(server.v4(), 80);
    rules(allow(0).source(with().notNets("10.65.0.0/24")));
    denied(server.v4(), 80);
    allowed(server.v6(), 80);
    rules(allow(0).source(with().notNets("10.66.0.0/24", "10.67.0.0/24", "fd00:65::1/128")));
    allowed(server.v4(), 80);
    denied(server.v6(), 80);
    rules(allow(0).source(with().notNets("0.0.0.0/0")));
    denied(server.v4(), 80);
    allowed(server.v6(), 80);
    rules(allow(0).destination(with().nets("10.65.0.2/32")));
    allowed(server.v4(), 80);
    rules(allow(0).destination(with().nets("10.65.0.1/32")));
    denied(server.v4(), 80);
  }

  @Test
  void manyNetworksAndPortsAreOneRule() {
    String[] nets =
        IntStream.range(0, 10_000)
            .mapToObj(i -> "172.%d.%d.0/25".formatted(16 + i / 256, i % 256))
            .toArray(String[]::new);
    String[] ports =
        IntStream.range(0, 100).mapToObj(i -> 1000 + 2 * i + "").toArray(String[]::new);
    node.apply();
    rules(
        allow(0).source(with().nets(nets)),
        allow(UDP).destination(with().ports(ports)),
        allow(UDP).source(with().notPorts(ports)));
    assertThat(node.now().lastRuleOperations()).isLessThan(10);
    allowed(server.v4(), 1000, 1198);
    assertThat(client.udp(server, server.v4(), 1001, 4001, true)).isTrue();
    assertThat(client.udp(server, server.v4(), 1001, 1100, false)).isFalse();
  }

  @Test
  void ports() {
    rules(allow(UDP).destination(with().ports("80")));
    allowed(server.v4(), 80);
    allowed(server.v6(), 80);
    denied(server.v4(), 81);
    assertThat(client.tcpDenied(server, server.v4(), 80)).isTrue();
    rules(allow(UDP).destination(with().ports("80:90", "85:95", "100")));
    allowed(server.v4(), 80, 95, 100);
    denied(server.v4(), 79, 96);
    rules(allow(UDP).destination(with().notPorts("80:90")));
    denied(server.v4(), 85);
    allowed(server.v4(), 91);
    rules(allow(UDP).destination(with().notPorts("80")));
    denied(server.v6(), 80);
    allowed(server.v6(), 81);
    rules(allow(UDP).source(with().ports("4000:4010")));
    assertThat(client.udp(server, server.v4(), 80, 4005, true)).isTrue();
    assertThat(client.udp(server, server.v4(), 80, 4011, false)).isFalse();
  }

  @Test
  void memberSets() {
    node.filter.addSet(IPS);
    node.filter.addMember(IPS, network("10.65.0.1/32"));
    rules(allow(0).source(with().sets(List.of(IPS))));
    allowed(server.v4(), 80);
    denied(server.v6(), 80);
    node.filter.addMember(IPS, network("fd00:65::1/128"));
    node.filter.removeMember(IPS, network("10.65.0.1/32"));
    node.apply();
    assertThat(node.now().lastRuleOperations()).as("only elements").isZero();
    denied(server.v4(), 80);
    allowed(server.v6(), 80);
    rules(allow(0).source(with().notSets(List.of(IPS))));
    allowed(server.v4(), 80);
    denied(server.v6(), 80);
    rules(allow(0).source(with().sets(List.of(IPS, NETS))));
    denied(server.v6(), 80);
    node.filter.removeSet(IPS);
    rules(allow(0).source(with().notSets(List.of(IPS))));
    allowed(server.v6(), 80);
  }

  @Test
  void namedPortsAndServices() {
    node.filter.addSet(PORTS);
    node.filter.addMember(PORTS, new SetMember.Port(IpAddress.parse(server.v4()), UDP, 53));
    node.filter.addMember(PORTS, new SetMember.Port(IpAddress.parse(server.v6()), TCP, 54));
    rules(allow(UDP).destination(with().ports("80").namedPorts(List.of(PORTS))));
    allowed(server.v4(), 53, 80);
    denied(server.v4(), 54);
    denied(server.v6(), 53, 54);
    rules(allow(0).destination(with().namedPorts(List.of(PORTS))));
    allowed(server.v4(), 53);
    assertThat(client.tcp(server, server.v6(), 54)).isTrue();
    denied(server.v6(), 54);
    rules(allow(UDP).destination(with().notNamedPorts(List.of(PORTS))));
    denied(server.v4(), 53);
    allowed(server.v4(), 54);
    rules(allow(0).destination(with().services(List.of(PORTS))));
    allowed(server.v4(), 53);
    denied(server.v4(), 80);
  }

  @Test
  void icmp() {
    rules(allow(1).icmp(8, -1));
    assertThat(client.ping(server.v4())).isTrue();
    assertThat(client.pingDenied(server.v6())).isTrue();
    rules(allow(58).icmp(128, 0));
    assertThat(client.ping(server.v6())).isTrue();
    assertThat(client.pingDenied(server.v4())).isTrue();
    rules(allow(1).icmp(8, 1));
    assertThat(client.pingDenied(server.v4())).isTrue();
    rules(allow(1).notIcmp(8, 1));
    assertThat(client.ping(server.v4())).as("another code").isTrue();
    rules(allow(1).notIcmp(8, 0));
    assertThat(client.pingDenied(server.v4())).isTrue();
    rules(allow(1).notIcmp(8, -1));
    assertThat(client.pingDenied(server.v4())).isTrue();
    rules(allow(1).notIcmp(3, 0), allow(58).notIcmp(1, -1));
    assertThat(client.ping(server.v4())).as("another type").isTrue();
    assertThat(client.ping(server.v6())).isTrue();
  }

  @Test
  void udplite() {
    rules(allow(136).destination(with().ports("7")));
    assertThat(node.table()).contains("udplite dport 7");
  }
}
