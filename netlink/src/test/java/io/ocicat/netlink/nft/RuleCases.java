package io.ocicat.netlink.nft;

import static io.ocicat.netlink.nft.CtState.ESTABLISHED;
import static io.ocicat.netlink.nft.CtState.INVALID;
import static io.ocicat.netlink.nft.CtState.RELATED;
import static io.ocicat.netlink.nft.Direction.ORIGINAL;
import static io.ocicat.netlink.nft.Direction.REPLY;
import static io.ocicat.netlink.nft.L4Protocol.TCP;
import static io.ocicat.netlink.nft.L4Protocol.UDP;
import static io.ocicat.netlink.nft.Statement.accept;
import static io.ocicat.netlink.nft.Statement.drop;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Rules, each with its text in nft's syntax. */
final class RuleCases {
  /**
   * A rule and its text.
   *
   * @param likeNft whether nft builds the same expressions; else they only mean the same
   */
  record Case(String text, Rule rule, boolean likeNft) {}

  final TableId table;
  final ChainId chain;
  final ChainId other;

  private final NamedSet ports;
  private final NamedSet services;
  private final NamedSet pairs;
  private final NamedSet pairs6;
  private final NamedSet verdicts;
  private final NamedSet macs;
  private final NamedSet seen;
  final NamedSet targets;
  final NamedSet targets6;
  final NamedSet plainTargets;
  private final List<Case> cases = new ArrayList<>();

  RuleCases(TableFamily family) {
    table = new TableId(family, "t");
    chain = table.chain("c");
    other = table.chain("other");
    ports = NamedSet.set(table.set("ports"), DataType.INET_SERVICE);
    services =
        NamedSet.set(
            table.set("services"), DataType.IPV4_ADDR, DataType.INET_PROTO, DataType.INET_SERVICE);
    pairs = NamedSet.set(table.set("pairs"), DataType.IPV4_ADDR, DataType.IPV4_ADDR);
    pairs6 = NamedSet.set(table.set("pairs6"), DataType.IPV6_ADDR, DataType.IPV6_ADDR);
    verdicts =
        NamedSet.verdictMap(table.set("verdicts"), DataType.IPV4_ADDR, DataType.INET_SERVICE);
    macs = NamedSet.set(table.set("macs"), DataType.ETHER_ADDR);
    seen =
        NamedSet.set(table.set("seen"), DataType.IPV4_ADDR)
            .withFlags(SetFlag.DYNAMIC, SetFlag.TIMEOUT)
            .withSize(65535);
    KeyLayout service = KeyLayout.of(DataType.INET_PROTO, DataType.INET_SERVICE);
    targets =
        NamedSet.map(
            table.set("targets"), service, KeyLayout.of(DataType.IPV4_ADDR, DataType.INET_SERVICE));
    targets6 =
        NamedSet.map(
            table.set("targets6"),
            KeyLayout.of(DataType.IPV6_ADDR, DataType.INET_PROTO, DataType.INET_SERVICE),
            KeyLayout.of(DataType.IPV6_ADDR, DataType.INET_SERVICE));
    plainTargets =
        NamedSet.map(
            table.set("plain_targets"),
            KeyLayout.of(DataType.INET_SERVICE),
            KeyLayout.of(DataType.IPV4_ADDR));
    switch (family) {
      case INET -> {
        ipv4();
        ipv6();
        transport();
        knowledge();
        inetOnly();
        actions();
        TranslationCases.addIpv4(this);
        TranslationCases.addIpv6(this);
      }
      case IP -> {
        ipv4();
        transport();
        TranslationCases.addIpv4(this);
        add(
            "ip protocol tcp accept",
            Match.eq(PacketField.IP_PROTOCOL, Value.protocol(TCP)),
            accept());
        add("reject", Statement.reject());
      }
      case IP6 -> {
        ipv6();
        TranslationCases.addIpv6(this);
        add("reject", Statement.reject());
      }
      case ARP -> arp();
      case BRIDGE -> {
        frames();
        ipv4();
        ipv6();
        transport();
        arp();
      }
      case NETDEV -> {
        frames();
        ipv4();
        transport();
        arp();
      }
    }
  }

  List<Case> all() {
    return cases;
  }

  List<NamedSet> sets() {
    return List.of(
        ports, services, pairs, pairs6, verdicts, macs, seen, targets, targets6, plainTargets);
  }

  private void ipv4() {
    add(
        "ip saddr 10.1.2.5 ip daddr != 10.1.2.0/24 accept",
        Match.source(prefix("10.1.2.5/32")),
        Match.notDestination(prefix("10.1.2.0/24")),
        accept());
    add("ip saddr 10.0.0.0/8 drop", Match.source(prefix("10.9.9.9/8")), drop());
    add("ip saddr 10.0.0.0/9 drop", Match.source(prefix("10.0.0.0/9")), drop());
    add("ip saddr != 172.16.0.0/12 drop", Match.notSource(prefix("172.16.0.0/12")), drop());
    add("ip saddr 0.0.0.0/0 drop", Match.source(prefix("0.0.0.0/0")), drop());
    add(
        "ip daddr 224.0.0.0-239.255.255.255 accept",
        Match.between(
            PacketField.IP_DADDR,
            Value.address(ip("224.0.0.0")),
            Value.address(ip("239.255.255.255"))),
        accept());
    icmp(
        "icmp type echo-request accept",
        Match.eq(PacketField.ICMP_TYPE, Value.number(DataType.ICMP_TYPE, 8)));
    icmp(
        "icmp code != host-unreachable accept",
        Match.ne(PacketField.ICMP_CODE, Value.number(DataType.ICMP_CODE, 1)));
    add(
        "ip daddr . meta l4proto . th dport @services accept",
        Match.in(services, PacketField.IP_DADDR, PacketField.L4PROTO, PacketField.TH_DPORT),
        accept());
    add(
        "ip saddr . ip daddr & 255.255.254.0 @pairs return",
        Match.in(pairs, PacketField.IP_SADDR, PacketField.IP_DADDR.network(23)),
        Statement.goBack());
    add(
        "ip saddr . ip daddr @pairs return",
        Match.in(pairs, PacketField.IP_SADDR, PacketField.IP_DADDR.network(32)),
        Statement.goBack());
    add(
        "ip daddr . tcp dport vmap @verdicts",
        Statement.vmap(verdicts, PacketField.IP_DADDR, PacketField.TCP_DPORT));
    add(
        "ip daddr 10.0.0.1 udp dport 67 accept",
        Match.destination(prefix("10.0.0.1/32")),
        Match.destinationPort(UDP, 67),
        accept());
  }

  private void ipv6() {
    add("ip6 daddr fd00::/64 return", Match.destination(prefix("fd00::/64")), Statement.goBack());
    add("ip6 daddr fd00::/63 return", Match.destination(prefix("fd00::/63")), Statement.goBack());
    add("ip6 saddr != ff00::/8 accept", Match.notSource(prefix("ff00::/8")), accept());
    add("ip6 daddr != fd00::1 accept", Match.notDestination(prefix("fd00::1/128")), accept());
    add(
        "ip6 saddr . ip6 daddr & ffff:ffff:ffff:ffff:: @pairs6 return",
        Match.in(pairs6, PacketField.IP6_SADDR, PacketField.IP6_DADDR.network(64)),
        Statement.goBack());
    icmp(
        "icmpv6 type nd-neighbor-solicit accept",
        Match.eq(PacketField.ICMPV6_TYPE, Value.number(DataType.ICMPV6_TYPE, 135)));
    icmp(
        "icmpv6 code port-unreachable accept",
        Match.eq(PacketField.ICMPV6_CODE, Value.number(DataType.ICMPV6_CODE, 4)));
  }

  private void transport() {
    add("tcp dport 80 accept", Match.destinationPort(TCP, 80), accept());
    add("tcp dport 80 accept", Match.l4proto(TCP), Match.destinationPort(TCP, 80), accept());
    add(
        "tcp sport 1024-65535 tcp dport 80-90 accept",
        Match.between(PacketField.TCP_SPORT, Value.port(1024), Value.port(65535)),
        Match.between(PacketField.TCP_DPORT, Value.port(80), Value.port(90)),
        accept());
    add(
        "tcp dport != 80-90 accept",
        Match.notBetween(PacketField.TCP_DPORT, Value.port(80), Value.port(90)),
        accept());
    add(
        "udp sport > 1024 accept",
        Match.compare(PacketField.UDP_SPORT, Comparison.GT, Value.port(1024)),
        accept());
    add("sctp sport != 7 accept", Match.ne(PacketField.SCTP_SPORT, Value.port(7)), accept());
    add("sctp dport 5 accept", Match.destinationPort(L4Protocol.SCTP, 5), accept());
    add("th sport 53 accept", Match.eq(PacketField.TH_SPORT, Value.port(53)), accept());
    add("tcp dport @ports accept", Match.in(ports, PacketField.TCP_DPORT), accept());
    add("udp dport != @ports drop", Match.notIn(ports, PacketField.UDP_DPORT), drop());
    add("meta l4proto udp accept", Match.l4proto(UDP), accept());
    add(
        "udplite dport 80 accept",
        Match.l4proto(L4Protocol.UDPLITE),
        Match.eq(PacketField.TH_DPORT, Value.port(80)),
        accept());
  }

  /** Metadata of packets. */
  private void knowledge() {
    add("iif \"lo\" accept", Match.eq(PacketField.IIF, Value.interfaceIndex(1)), accept());
    add("oif != \"lo\" accept", Match.ne(PacketField.OIF, Value.interfaceIndex(1)), accept());
    add("iifname \"eth0\" accept", Match.inInterface("eth0"), accept());
    add("oifname \"averylongname15\" accept", Match.outInterface("averylongname15"), accept());
    add("iifname \"cali*\" accept", Match.inInterfacePrefix("cali"), accept());
    add("oifname \"veth*\" accept", Match.outInterfacePrefix("veth"), accept());
    add("oifname != \"cali*\" accept", Match.notOutInterfacePrefix("cali"), accept());
    add(
        "iifgroup 5 oifgroup != 6 accept",
        Match.eq(PacketField.IIFGROUP, Value.number(DataType.DEVGROUP, 5)),
        Match.ne(PacketField.OIFGROUP, Value.number(DataType.DEVGROUP, 6)),
        accept());
    add("meta mark 0x00000005 accept", Match.eq(PacketField.MARK, Value.mark(5)), accept());
    add(
        "meta mark & 0x00002000 == 0x00002000 accept",
        Match.masked(PacketField.MARK, 0x2000, 0x2000),
        accept());
    add(
        "meta mark & 0x80002000 != 0x00002000 accept",
        Match.notMasked(PacketField.MARK, 0x80002000, 0x2000),
        accept());
    add(
        "meta mark >= 0x00000005 accept",
        Match.compare(PacketField.MARK, Comparison.GTE, Value.mark(5)),
        accept());
    add(
        "meta mark 0x00000005-0x0000000a accept",
        Match.between(PacketField.MARK, Value.mark(5), Value.mark(10)),
        accept());
    add(
        "meta length < 100 drop",
        Match.compare(PacketField.LENGTH, Comparison.LT, Value.number(DataType.INTEGER, 100)),
        drop());
    add(
        "meta pkttype broadcast drop",
        Match.eq(
            PacketField.PKTTYPE, Value.number(DataType.PKT_TYPE, PacketType.BROADCAST.number())),
        drop());
    connections();
    add("fib daddr type local accept", Match.toThisMachine(), accept());
    add(
        "fib saddr . iif type != local accept",
        Match.ne(
            PacketField.fibType(FibFlag.SADDR, FibFlag.IIF),
            Value.number(DataType.FIB_ADDRTYPE, AddressType.LOCAL.number())),
        accept());
    add(
        "fib saddr . iif oif missing drop",
        Match.eq(
            PacketField.fibOifExists(FibFlag.SADDR, FibFlag.IIF),
            Value.number(DataType.BOOLEAN, 0)),
        drop());
    add(
        "fib saddr oif \"lo\" drop",
        Match.eq(PacketField.fibOif(FibFlag.SADDR), Value.interfaceIndex(1)),
        drop());
  }

  private void connections() {
    add("ct state established,related accept", Match.state(ESTABLISHED, RELATED), accept());
    add("ct state invalid drop", Match.state(INVALID), drop());
    add("ct status dnat accept", Match.status(CtStatus.DNAT), accept());
    add(
        "ct direction reply accept",
        Match.eq(PacketField.CT_DIRECTION, Value.number(DataType.CT_DIR, REPLY.number())),
        accept());
    add(
        "ct mark & 0x00000004 == 0x00000004 accept",
        Match.masked(PacketField.CT_MARK, 4, 4),
        accept());
    add(
        "ct original ip daddr 10.0.0.1 accept",
        Match.eq(PacketField.ct(ORIGINAL, CtKey.DST_IP), Value.address(ip("10.0.0.1"))),
        accept());
    add(
        "ct reply ip saddr 10.0.0.0/24 accept",
        Match.within(PacketField.ct(REPLY, CtKey.SRC_IP), prefix("10.0.0.0/24")),
        accept());
    add(
        "ct original ip6 daddr fd00::1 accept",
        Match.eq(PacketField.ct(ORIGINAL, CtKey.DST_IP6), Value.address(ip("fd00::1"))),
        accept());
    add(
        "meta l4proto tcp ct original proto-dst 80 accept",
        Match.l4proto(TCP),
        Match.eq(PacketField.ct(ORIGINAL, CtKey.PROTO_DST), Value.port(80)),
        accept());
  }

  private void inetOnly() {
    add(
        "meta nfproto ipv6 accept",
        Match.eq(PacketField.NFPROTO, Value.number(DataType.NF_PROTO, TableFamily.IP6.number())),
        accept());
    add(
        "meta protocol ip accept",
        Match.eq(PacketField.PROTOCOL, Value.number(DataType.ETHER_TYPE, 0x0800)),
        accept());
    add(
        "ether saddr 02:00:00:00:00:01 accept",
        Match.eq(PacketField.ETHER_SADDR, Value.mac(MacAddress.parse("02:00:00:00:00:01"))),
        accept());
    add(
        "ip saddr 10.0.0.7 reject with icmp port-unreachable",
        Match.source(prefix("10.0.0.7/32")),
        Statement.reject());
  }

  private void actions() {
    add("jump other", Statement.jump(other));
    add("goto other", Statement.goTo(other));
    add("continue", Statement.verdict(Verdict.CONTINUE));
    add("counter packets 0 bytes 0 accept", Statement.counter(), accept());
    add("limit rate 10/second accept", Statement.limit(10, ChronoUnit.SECONDS), accept());
    add("limit rate over 3/minute drop", Statement.limitOver(3, ChronoUnit.MINUTES), drop());
    add("reject", Statement.reject());
    add("meta l4proto tcp reject with tcp reset", Statement.rejectWithTcpReset());
    add("log prefix \"dropped: \" level info", Statement.log("dropped: ", LogLevel.INFO));
    add("log prefix \"seen\"", Statement.log("seen"));
    add("log prefix \"x\" group 3", new Expression.LogToGroup("x", 3, 0, 0));
    add("log prefix \"denied by np/a/b\" group 193", Statement.logTo(193, "denied by np/a/b"));
    add("udp dport 4789 notrack", Match.destinationPort(UDP, 4789), Statement.notrack());
    add(
        "update @seen { ip saddr timeout 10s }",
        Statement.update(seen, Duration.ofSeconds(10), PacketField.IP_SADDR));
    add("meta mark set 0x00000005", Statement.setMark(5));
    add("meta mark set meta mark | 0x00002000", Statement.setMark(0x2000, 0x2000));
    add("meta mark set meta mark & 0xffffdfff", Statement.setMark(0, 0x2000));
    add("ct mark set ct mark | 0x00000004", Statement.setCtMark(4, 4));
    add("ct mark set meta mark", Statement.saveMark());
    add("meta mark set ct mark", Statement.restoreMark());
    cases.add(
        new Case(
            "ip saddr 10.1.2.5 accept comment \"net: blue, id: 0123456789abcdef\"",
            Rule.of(chain, Match.source(prefix("10.1.2.5/32")), accept())
                .withComment("net: blue, id: 0123456789abcdef"),
            true));
    String longest = "x".repeat(128);
    cases.add(
        new Case(
            "accept comment \"" + longest + "\"",
            Rule.of(chain, accept()).withComment(longest),
            true));
  }

  private void frames() {
    add(
        "ether saddr 02:00:00:00:00:01 return",
        Match.eq(PacketField.ETHER_SADDR, Value.mac(MacAddress.parse("02:00:00:00:00:01"))),
        Statement.goBack());
    add(
        "ether daddr != 02:00:00:00:00:01 drop",
        Match.ne(PacketField.ETHER_DADDR, Value.mac(MacAddress.parse("02:00:00:00:00:01"))),
        drop());
    add("ether saddr != @macs drop", Match.notIn(macs, PacketField.ETHER_SADDR), drop());
    add("iifname \"veth0\" jump other", Match.inInterface("veth0"), Statement.jump(other));
  }

  private void arp() {
    add(
        "arp operation reply accept",
        Match.eq(PacketField.ARP_OPERATION, Value.number(DataType.ARP_OP, 2)),
        accept());
    add(
        "arp saddr ip 10.0.0.1 accept",
        Match.eq(PacketField.ARP_SADDR_IP, Value.address(ip("10.0.0.1"))),
        accept());
    add(
        "arp daddr ip != 10.0.0.1 drop",
        Match.ne(PacketField.ARP_DADDR_IP, Value.address(ip("10.0.0.1"))),
        drop());
    add(
        "arp saddr ether 02:00:00:00:00:01 arp daddr ether 02:00:00:00:00:02 accept",
        Match.eq(PacketField.ARP_SADDR_ETHER, Value.mac(MacAddress.parse("02:00:00:00:00:01"))),
        Match.eq(PacketField.ARP_DADDR_ETHER, Value.mac(MacAddress.parse("02:00:00:00:00:02"))),
        accept());
  }

  void add(String text, Clause... clauses) {
    cases.add(new Case(text, Rule.of(chain, clauses), true));
  }

  /** On bridges nft reads the IP version from the frame here, but from the metadata elsewhere. */
  private void icmp(String text, Clause type) {
    boolean likeNft = table.family() != TableFamily.BRIDGE;
    cases.add(new Case(text, Rule.of(chain, type, accept()), likeNft));
  }

  static IpAddress ip(String text) {
    return IpAddress.parse(text);
  }

  static IpPrefix prefix(String text) {
    return IpPrefix.parse(text);
  }
}
