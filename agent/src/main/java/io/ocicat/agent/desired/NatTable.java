package io.ocicat.agent.desired;

import io.ocicat.agent.config.AgentConfig.ServiceLoopPrevention;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.nft.AddressType;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainPriority;
import io.ocicat.netlink.nft.ChainType;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.DataType;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.FibFlag;
import io.ocicat.netlink.nft.Hook;
import io.ocicat.netlink.nft.KeyLayout;
import io.ocicat.netlink.nft.L4Protocol;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Nat;
import io.ocicat.netlink.nft.NatFlag;
import io.ocicat.netlink.nft.NatRange;
import io.ocicat.netlink.nft.PacketField;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.SetFlag;
import io.ocicat.netlink.nft.Statement;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Value;
import io.ocicat.plugins.calico.NodeAgent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * {@link NatRules} as an nf_tables table, for one family written as nft shows it:
 *
 * <pre>
 * chain prerouting  { type nat hook prerouting priority dstnat
 *   dnat ip to ip daddr map @floating4 }
 * chain output      { type nat hook output priority dstnat; the same }
 * chain postrouting { type nat hook postrouting priority srcnat + 10
 *   ip saddr . ip daddr ... snat ip to ip saddr map @hairpin4
 *   oifname vxlan.calico fib saddr type local fib saddr . oif type != local masquerade
 *   ip saddr @masqueraded4 ip daddr != @internal4 masquerade fully-random }
 * chain tunnels     { type filter hook prerouting priority raw
 *   iifname cali* udp dport 4789 drop
 *   udp dport 4789 fib daddr type local ip saddr != @vxlan4 drop }
 * chain forward     { type filter hook forward priority filter
 *   ip daddr @services4 drop }
 * </pre>
 *
 * The priority of postrouting is Felix's: after kube-proxy's.
 */
public final class NatTable {
  /** Recognised by the calico plugin, which masquerades itself where no agent does. */
  public static final TableId ID = NodeAgent.AGENT_TABLE;

  private static final int AFTER_KUBE_PROXY = ChainPriority.SRCNAT + 10;

  /** The parts that differ by address family. */
  private record Side(
      IpFamily family,
      int version,
      DataType type,
      PacketField source,
      PacketField destination,
      IpPrefix multicast) {
    static final List<Side> BOTH =
        List.of(
            new Side(
                IpFamily.V4,
                4,
                DataType.IPV4_ADDR,
                PacketField.IP_SADDR,
                PacketField.IP_DADDR,
                IpPrefix.parse("224.0.0.0/4")),
            new Side(
                IpFamily.V6,
                6,
                DataType.IPV6_ADDR,
                PacketField.IP6_SADDR,
                PacketField.IP6_DADDR,
                IpPrefix.parse("ff00::/8")));

    NamedSet ranges(String name) {
      return NamedSet.set(ID.set(name + version), type).withFlags(SetFlag.INTERVAL);
    }

    NamedSet map(String name) {
      return NamedSet.map(ID.set(name + version), KeyLayout.of(type), KeyLayout.of(type));
    }

    NamedSet pairs(String name) {
      return NamedSet.set(ID.set(name + version), type, type);
    }

    boolean has(IpAddress address) {
      return IpFamily.of(address) == family;
    }

    Set<Element> elements(List<IpPrefix> prefixes) {
      Set<Element> elements = new LinkedHashSet<>();
      prefixes.stream()
          .filter(prefix -> has(prefix.address()))
          .forEach(prefix -> elements.add(Element.of(prefix)));
      return elements;
    }
  }

  private final NatRules nat;
  private final Map<NamedSet, Set<Element>> sets = new LinkedHashMap<>();
  private final List<Rule> prerouting = new ArrayList<>();
  private final List<Rule> output = new ArrayList<>();
  private final List<Rule> postrouting = new ArrayList<>();
  private final List<Rule> forward = new ArrayList<>();
  private final List<Rule> tunnels = new ArrayList<>();

  private NatTable(NatRules nat) {
    this.nat = nat;
  }

  public static TableContent of(NatRules nat) {
    return new NatTable(nat).build();
  }

  private TableContent build() {
    for (Side side : Side.BOTH) {
      addFloating(side);
    }
    addTunnels();
    addWorkloadFilter();
    for (Side side : Side.BOTH) {
      addMasquerade(side);
      addServices(side);
      addTunnelFilter(side);
    }
    Map<Chain, List<Rule>> chains = new LinkedHashMap<>();
    chains.put(base("tunnels", ChainType.FILTER, Hook.PREROUTING, ChainPriority.RAW), tunnels);
    chains.put(
        base("prerouting", ChainType.NAT, Hook.PREROUTING, ChainPriority.DSTNAT), prerouting);
    chains.put(base("output", ChainType.NAT, Hook.OUTPUT, ChainPriority.DSTNAT), output);
    chains.put(base("postrouting", ChainType.NAT, Hook.POSTROUTING, AFTER_KUBE_PROXY), postrouting);
    chains.put(base("forward", ChainType.FILTER, Hook.FORWARD, ChainPriority.FILTER), forward);
    return new TableContent(ID, sets, chains);
  }

  private static Chain base(String name, ChainType type, Hook hook, int priority) {
    return Chain.base(ID.chain(name), type, hook, priority);
  }

  /** A workload that calls itself by its floating address must see a foreign source. */
  private void addFloating(Side side) {
    NamedSet floating = side.map("floating");
    NamedSet hairpin = side.map("hairpin");
    NamedSet selves = side.pairs("selves");
    Set<Element> external = new LinkedHashSet<>();
    Set<Element> internal = new LinkedHashSet<>();
    Set<Element> pairs = new LinkedHashSet<>();
    nat.floating().entrySet().stream()
        .filter(entry -> side.has(entry.getKey()))
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            entry -> {
              Value outside = Value.address(entry.getKey());
              Value inside = Value.address(entry.getValue());
              external.add(Element.of(outside).to(inside));
              if (pairs.add(Element.of(inside, inside))) {
                internal.add(Element.of(inside).to(outside));
              }
            });
    sets.put(floating, external);
    sets.put(hairpin, internal);
    sets.put(selves, pairs);
    List<PacketField> destination = List.of(side.destination());
    prerouting.add(rule("prerouting", Nat.dnat(floating, destination)));
    output.add(rule("output", Nat.dnat(floating, destination)));
    postrouting.add(
        rule(
            "postrouting",
            Match.in(selves, side.source(), side.destination()),
            Nat.snat(hairpin, List.of(side.source()))));
  }

  /**
   * What the node itself sends into a tunnel must have an address that the other end can answer.
   */
  private void addTunnels() {
    nat.tunnels().keySet().stream()
        .sorted()
        .forEach(
            device ->
                postrouting.add(
                    rule(
                        "postrouting",
                        Match.outInterface(device),
                        Match.eq(PacketField.fibType(FibFlag.SADDR), local()),
                        Match.ne(PacketField.fibType(FibFlag.SADDR, FibFlag.OIF), local()),
                        Nat.masquerade(NatFlag.FULLY_RANDOM))));
  }

  private static Value local() {
    return Value.number(DataType.FIB_ADDRTYPE, AddressType.LOCAL.number());
  }

  private void addMasquerade(Side side) {
    NamedSet sources = side.ranges("masqueraded");
    NamedSet internal = side.ranges("internal");
    sets.put(sources, side.elements(nat.masqueraded()));
    sets.put(internal, side.elements(nat.internal()));
    List<Clause> conditions =
        List.of(
            Match.in(sources, side.source()),
            Match.notIn(internal, side.destination()),
            Match.notDestination(side.multicast()));
    for (L4Protocol protocol : List.of(L4Protocol.TCP, L4Protocol.UDP)) {
      if (!nat.masqueradePorts().isEmpty()) {
        List<Clause> clauses = new ArrayList<>(conditions);
        clauses.add(Match.l4proto(protocol));
        clauses.add(translation(side, ports(nat.masqueradePorts())));
        postrouting.add(new Rule(ID.chain("postrouting"), clauses, ""));
      }
    }
    List<Clause> clauses = new ArrayList<>(conditions);
    clauses.add(translation(side, NatRange.Ports.KEEP));
    postrouting.add(new Rule(ID.chain("postrouting"), clauses, ""));
  }

  private Clause translation(Side side, NatRange.Ports ports) {
    return nat.masqueradeAddress()
        .filter(side::has)
        .map(address -> Nat.snat(new NatRange(address, address, ports), NatFlag.FULLY_RANDOM))
        .orElseGet(() -> Nat.masquerade(ports, NatFlag.FULLY_RANDOM));
  }

  /** A range as Felix writes it: {@code 32768:65535}. */
  private static NatRange.Ports ports(String range) {
    String[] ends = range.split(":", 2);
    return NatRange.Ports.of(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]));
  }

  private void addWorkloadFilter() {
    TunnelFilter filter = nat.filter();
    for (String prefix : filter.closedToVxlan()) {
      tunnels.add(
          rule(
              "tunnels",
              Match.inInterfacePrefix(prefix),
              Match.destinationPort(L4Protocol.UDP, filter.port()),
              Statement.drop()));
    }
    for (String prefix : filter.closedToIpip()) {
      tunnels.add(
          rule(
              "tunnels",
              Match.inInterfacePrefix(prefix),
              Match.l4proto(L4Protocol.IPIP),
              Statement.drop()));
    }
  }

  private void addTunnelFilter(Side side) {
    TunnelFilter filter = nat.filter();
    List<IpPrefix> vxlan = filter.vxlan().get(side.family());
    if (vxlan != null) {
      addSenders(side, "vxlan", vxlan, Match.destinationPort(L4Protocol.UDP, filter.port()));
    }
    if (side.family() == IpFamily.V4) {
      filter
          .ipip()
          .ifPresent(senders -> addSenders(side, "ipip", senders, Match.l4proto(L4Protocol.IPIP)));
    }
  }

  private void addSenders(Side side, String name, List<IpPrefix> senders, Clause packets) {
    NamedSet known = side.ranges(name);
    sets.put(known, side.elements(senders));
    tunnels.add(
        rule(
            "tunnels",
            packets,
            Match.eq(PacketField.fibType(FibFlag.DADDR), local()),
            Match.notIn(known, side.source()),
            Statement.drop()));
  }

  private void addServices(Side side) {
    if (nat.serviceLoop() == ServiceLoopPrevention.DISABLED) {
      return;
    }
    NamedSet services = side.ranges("services");
    sets.put(services, side.elements(nat.services()));
    forward.add(
        rule(
            "forward",
            Match.in(services, side.destination()),
            nat.serviceLoop() == ServiceLoopPrevention.REJECT
                ? Statement.reject()
                : Statement.drop()));
  }

  private static Rule rule(String chain, Clause... clauses) {
    return Rule.of(ID.chain(chain), clauses);
  }
}
