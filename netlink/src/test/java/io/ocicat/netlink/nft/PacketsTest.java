package io.ocicat.netlink.nft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.VethLink;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The effect of rules on real packets, on a router between a pod and the world outside. */
@Hosts
class PacketsTest {
  private static final String POD = "10.1.0.2";
  private static final String POD6 = "fd01::2";
  private static final String ROUTER_INSIDE = "10.1.0.1";
  private static final String ROUTER_OUTSIDE = "10.2.0.1";
  private static final String ROUTER_OUTSIDE6 = "fd02::1";
  private static final String OUTSIDE = "10.2.0.2";
  private static final String OUTSIDE6 = "fd02::2";

  private static final TableId TABLE = new TableId(TableFamily.INET, "ocicat");
  private static final Chain.Base PREROUTING =
      Chain.base(TABLE.chain("prerouting"), ChainType.NAT, Hook.PREROUTING, ChainPriority.DSTNAT);
  private static final Chain.Base OUTPUT =
      Chain.base(TABLE.chain("output"), ChainType.NAT, Hook.OUTPUT, ChainPriority.DSTNAT);
  private static final Chain.Base POSTROUTING =
      Chain.base(TABLE.chain("postrouting"), ChainType.NAT, Hook.POSTROUTING, ChainPriority.SRCNAT);
  private static final Chain.Base FORWARD =
      Chain.base(TABLE.chain("forward"), ChainType.FILTER, Hook.FORWARD, ChainPriority.FILTER);
  private static final KeyLayout SERVICE = KeyLayout.of(DataType.INET_PROTO, DataType.INET_SERVICE);
  private static final NamedSet TARGETS =
      NamedSet.map(
          TABLE.set("targets"), SERVICE, KeyLayout.of(DataType.IPV4_ADDR, DataType.INET_SERVICE));
  private static final NamedSet TARGETS6 =
      NamedSet.map(
          TABLE.set("targets6"), SERVICE, KeyLayout.of(DataType.IPV6_ADDR, DataType.INET_SERVICE));

  private Ruleset rules;
  private ServerSocket podServer;
  private ServerSocket outsideServer;

  @BeforeEach
  void wire(Host pod, Host router, Host outside) {
    for (Host host : List.of(pod, router, outside)) {
      // A router resolves neighbours only once its link-local address is known to be unique.
      host.exec("sysctl", "-qw", "net.ipv6.conf.default.accept_dad=0");
    }
    VethLink inside = router.connect(pod, ROUTER_INSIDE + "/24", POD + "/24");
    VethLink world = router.connect(outside, ROUTER_OUTSIDE + "/24", OUTSIDE + "/24");
    router.exec("ip", "address", "add", "fd01::1/64", "dev", inside.device());
    router.exec("ip", "address", "add", ROUTER_OUTSIDE6 + "/64", "dev", world.device());
    pod.exec("ip", "address", "add", POD6 + "/64", "dev", inside.otherDevice());
    outside.exec("ip", "address", "add", OUTSIDE6 + "/64", "dev", world.otherDevice());
    pod.exec("ip", "route", "add", "default", "via", ROUTER_INSIDE);
    pod.exec("ip", "route", "add", "default", "via", "fd01::1");
    router.exec("sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1");
    rules = Ruleset.of(router);
    rules.net().transact(Tables.add(Table.of(TABLE)));
    podServer = Peer.serve(pod, 80);
    outsideServer = Peer.serve(outside, 80);
  }

  @AfterEach
  void close() throws IOException {
    rules.close();
    podServer.close();
    outsideServer.close();
  }

  @Test
  void withoutTranslationTheWorldCannotAnswer(Host pod) {
    assertThat(Peer.reaches(pod, OUTSIDE, 80)).isFalse();
  }

  @Test
  void masqueradeGivesPodsTheRoutersAddress(Host pod) {
    rules
        .net()
        .transact(
            Chains.add(POSTROUTING),
            Rules.append(masqueradeOutOf("10.1.0.0/24")),
            Rules.append(masqueradeOutOf("fd01::/64")));

    assertThat(Peer.seenAs(pod, OUTSIDE, 80)).isEqualTo(ROUTER_OUTSIDE);
    assertThat(Peer.seenAs(pod, OUTSIDE6, 80)).isEqualTo("fd02:0:0:0:0:0:0:1");
    pod.exec("ping", "-c1", "-W5", OUTSIDE);
  }

  private static Rule masqueradeOutOf(String prefix) {
    IpPrefix pods = IpPrefix.parse(prefix);
    return Rule.of(
        POSTROUTING.id(),
        Match.source(pods),
        Match.notDestination(pods),
        Nat.masquerade(NatFlag.FULLY_RANDOM));
  }

  @Test
  void aMapSendsHostPortsToPods(Host outside, Host router) {
    rules.net().transact(hostPorts());

    assertThat(Peer.seenAs(outside, ROUTER_OUTSIDE, 8080)).isEqualTo(OUTSIDE);
    assertThat(Peer.seenAs(outside, ROUTER_OUTSIDE6, 8080)).isEqualTo("fd02:0:0:0:0:0:0:2");
    assertThat(Peer.seenAs(router, ROUTER_OUTSIDE, 8080)).isEqualTo(ROUTER_OUTSIDE);
    assertThat(Peer.reaches(outside, ROUTER_OUTSIDE, 8081)).isFalse();

    rules.net().transact(Elements.delete(TARGETS, hostPort(POD)));
    assertThat(Peer.reaches(outside, ROUTER_OUTSIDE, 8080)).isFalse();
  }

  @Test
  void aPodReachesItselfByItsHostPort(Host pod) {
    rules.net().transact(hostPorts());
    IpPrefix self = IpPrefix.parse(POD + "/32");
    assertThat(Peer.reaches(pod, ROUTER_OUTSIDE, 8080)).isFalse();

    rules
        .net()
        .transact(
            Chains.add(POSTROUTING),
            Rules.append(
                Rule.of(
                    POSTROUTING.id(),
                    Match.source(self),
                    Match.destination(self),
                    Match.status(CtStatus.DNAT),
                    Nat.masquerade())));

    assertThat(Peer.seenAs(pod, ROUTER_OUTSIDE, 8080)).isEqualTo(ROUTER_INSIDE);
  }

  private static List<NetlinkRequest> hostPorts() {
    List<PacketField> key = List.of(PacketField.L4PROTO, PacketField.TH_DPORT);
    return List.of(
        Chains.add(PREROUTING),
        Chains.add(OUTPUT),
        Sets.add(TARGETS),
        Sets.add(TARGETS6),
        Rules.append(Rule.of(PREROUTING.id(), Match.toThisMachine(), Nat.dnat(TARGETS, key))),
        Rules.append(Rule.of(PREROUTING.id(), Match.toThisMachine(), Nat.dnat(TARGETS6, key))),
        Rules.append(Rule.of(OUTPUT.id(), Match.toThisMachine(), Nat.dnat(TARGETS, key))),
        Elements.add(TARGETS, hostPort(POD)),
        Elements.add(TARGETS6, hostPort(POD6)));
  }

  private static Element hostPort(String target) {
    return Element.of(Value.protocol(L4Protocol.TCP), Value.port(8080))
        .to(Value.address(IpAddress.parse(target)), Value.port(80));
  }

  @Test
  void statesSetsAndVerdictMapsDecide(Host pod, Host outside) {
    outside.exec("ip", "route", "add", "10.1.0.0/24", "via", ROUTER_OUTSIDE);
    NamedSet pods = NamedSet.verdictMap(TABLE.set("pods"), DataType.IPV4_ADDR);
    ChainId isolated = TABLE.chain("isolated");
    Value podAddress = Value.address(IpAddress.parse(POD));
    rules
        .net()
        .transact(
            Chains.add(Chain.regular(isolated)),
            Chains.add(FORWARD),
            Sets.add(pods),
            Elements.add(pods, Element.of(podAddress).to(Verdict.jump("isolated"))),
            Rules.append(
                Rule.of(FORWARD.id(), Match.state(CtState.ESTABLISHED), Statement.accept())),
            Rules.append(Rule.of(FORWARD.id(), Statement.vmap(pods, PacketField.IP_DADDR))),
            Rules.append(
                Rule.of(
                    isolated,
                    Match.l4proto(L4Protocol.TCP),
                    Statement.counter(),
                    Statement.rejectWithTcpReset())));

    assertThat(Peer.seenAs(pod, OUTSIDE, 80)).isEqualTo(POD);
    assertThatThrownBy(() -> Peer.seenAs(outside, POD, 80)).hasMessageContaining("refused");
    outside.exec("ping", "-c1", "-W5", POD);
    assertThat(rules.net().list(Rules.in(isolated)).getFirst().expressions())
        .anySatisfy(
            expression ->
                assertThat(expression)
                    .isInstanceOfSatisfying(
                        Expression.Counter.class,
                        counter -> assertThat(counter.packets()).isEqualTo(1)));

    rules.net().transact(Elements.delete(pods, Element.of(podAddress)));
    assertThat(Peer.seenAs(outside, POD, 80)).isEqualTo(OUTSIDE);
  }

  @Test
  void marksTravelFromPacketToConnectionAndBack(Host pod, Host router) {
    Chain.Base mangle =
        Chain.base(TABLE.chain("mangle"), ChainType.FILTER, Hook.PREROUTING, ChainPriority.MANGLE);
    rules
        .net()
        .transact(
            Chains.add(mangle),
            Chains.add(POSTROUTING),
            Rules.append(Rule.of(mangle.id(), Statement.setMark(0x2000, 0x2000))),
            Rules.append(Rule.of(mangle.id(), Statement.saveMark())),
            Rules.append(
                Rule.of(
                    POSTROUTING.id(),
                    Match.masked(PacketField.MARK, 0x2000, 0x2000),
                    Match.masked(PacketField.CT_MARK, 0x2000, 0x2000),
                    Nat.masquerade())));

    assertThat(Peer.seenAs(pod, OUTSIDE, 80)).isEqualTo(ROUTER_OUTSIDE);
    assertThat(router.exec("conntrack", "-L").stdout()).contains("mark=8192");
  }

  @Test
  void rulesOfABridgeStopForgedAddresses(Host bridge, Host one, Host two) {
    bridge.exec("ip", "link", "add", "br0", "type", "bridge", "forward_delay", "0");
    bridge.exec("ip", "link", "set", "br0", "up");
    VethLink first = bridge.connect(one, "0.0.0.0/32", "10.9.0.1/24");
    VethLink second = bridge.connect(two, "0.0.0.0/32", "10.9.0.2/24");
    for (VethLink port : List.of(first, second)) {
      bridge.exec("ip", "link", "set", port.device(), "master", "br0");
    }
    one.exec("ip", "link", "set", first.otherDevice(), "address", "02:00:00:00:00:01");
    TableId table = new TableId(TableFamily.BRIDGE, "nat");
    ChainId hook = table.chain("PREROUTING");
    ChainId port = table.chain("cni-br-iface-0123-eth0");
    try (Ruleset ruleset = Ruleset.of(bridge)) {
      ruleset
          .net()
          .transact(
              Tables.add(Table.of(table)),
              Chains.add(
                  Chain.base(hook, ChainType.FILTER, Hook.PREROUTING, ChainPriority.BRIDGE_DSTNAT)),
              Chains.add(Chain.regular(port)),
              Rules.append(Rule.of(hook, Match.inInterface(first.device()), Statement.jump(port))),
              Rules.append(
                  Rule.of(
                      port,
                      Match.eq(
                          PacketField.ETHER_SADDR,
                          Value.mac(MacAddress.parse("02:00:00:00:00:01"))),
                      Statement.goBack())),
              Rules.append(Rule.of(port, Statement.drop())));
      one.exec("ping", "-c1", "-W5", "10.9.0.2");

      one.exec("ip", "link", "set", first.otherDevice(), "address", "02:00:00:00:00:66");
      assertThat(one.tryExec("ping", "-c1", "-W1", "10.9.0.2").succeeded()).isFalse();
    }
  }
}
