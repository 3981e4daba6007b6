package io.ocicat.agent.nft;

import io.ocicat.agent.filter.FilterRule;
import io.ocicat.agent.filter.IcmpMatch;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.PeerMatch;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.DataType;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.PacketField;
import io.ocicat.netlink.nft.Value;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The conditions of a {@link FilterRule} in nf_tables, where all conditions of a rule must hold:
 * one rule for each family where addresses matter, and one for each alternative.
 */
final class RuleMatches {
  /** A family that a rule cannot match. */
  private static final Optional<List<List<Clause>>> NEVER = Optional.empty();

  /** TCP, UDP, SCTP and UDPLite. */
  static final Set<Integer> PROTOCOLS_WITH_PORTS = Set.of(6, 17, 132, 136);

  private static final ConstantSet WITH_PORTS =
      ConstantSet.numbers("port_protocols", DataType.INET_PROTO, 6, 17, 132, 136);

  private final FilterRule rule;
  private final MemberSets sets;
  private final List<ConstantSet> constants = new ArrayList<>();
  private final Set<MemberSetId> members = new LinkedHashSet<>();
  private final List<List<Clause>> alternatives = new ArrayList<>();

  private RuleMatches(FilterRule rule, MemberSets sets) {
    this.rule = rule;
    this.sets = sets;
  }

  static RuleMatches of(FilterRule rule, MemberSets sets) {
    RuleMatches matches = new RuleMatches(rule, sets);
    if (matches.dependsOnFamily()) {
      matches
          .families()
          .forEach(
              family ->
                  matches.render(FamilyFields.of(family)).ifPresent(matches.alternatives::addAll));
    } else {
      matches.alternatives.addAll(matches.renderAnyFamily());
    }
    return matches;
  }

  /** Each a list of conditions; the rule matches where one of these does. */
  List<List<Clause>> alternatives() {
    return alternatives;
  }

  List<ConstantSet> constants() {
    return constants;
  }

  Set<MemberSetId> members() {
    return members;
  }

  private boolean dependsOnFamily() {
    return rule.family().isPresent()
        || rule.icmp().isPresent()
        || rule.notIcmp().isPresent()
        || hasAddresses(rule.source())
        || hasAddresses(rule.destination());
  }

  private static boolean hasAddresses(PeerMatch peer) {
    return !(peer.nets().isEmpty()
        && peer.notNets().isEmpty()
        && peer.sets().isEmpty()
        && peer.notSets().isEmpty()
        && peer.namedPorts().isEmpty()
        && peer.notNamedPorts().isEmpty()
        && peer.services().isEmpty());
  }

  private Set<IpFamily> families() {
    EnumSet<IpFamily> families =
        rule.family().map(EnumSet::of).orElseGet(() -> EnumSet.allOf(IpFamily.class));
    if (rule.icmp().isPresent() || rule.notIcmp().isPresent()) {
      rule.protocol()
          .ifPresent(number -> families.removeIf(one -> FamilyFields.of(one).icmp() != number));
    }
    return families;
  }

  private List<List<Clause>> renderAnyFamily() {
    List<Clause> common = new ArrayList<>();
    addProtocol(common);
    Ports source = new Ports(rule.source(), true, common);
    Ports destination = new Ports(rule.destination(), false, common);
    return combine(common, source.numeric(), destination.numeric());
  }

  private Optional<List<List<Clause>>> render(FamilyFields family) {
    List<Clause> common = new ArrayList<>();
    common.add(family.match());
    boolean icmp = rule.icmp().isPresent() || rule.notIcmp().isPresent();
    if (icmp && rule.protocol().isEmpty()) {
      common.add(Match.eq(PacketField.L4PROTO, Value.number(DataType.INET_PROTO, family.icmp())));
    } else {
      addProtocol(common);
    }
    rule.icmp().ifPresent(match -> common.addAll(icmp(family, match)));
    if (!addAddresses(common, rule.source(), family, family.source())
        || !addAddresses(common, rule.destination(), family, family.destination())) {
      return NEVER;
    }
    Ports source = new Ports(rule.source(), true, common);
    Ports destination = new Ports(rule.destination(), false, common);
    return Optional.of(
        combine(
            common,
            notIcmp(family),
            source.of(family, family.source()),
            destination.of(family, family.destination())));
  }

  private void addProtocol(List<Clause> common) {
    rule.protocol()
        .ifPresent(
            number ->
                common.add(
                    Match.eq(PacketField.L4PROTO, Value.number(DataType.INET_PROTO, number))));
    rule.notProtocol()
        .ifPresent(
            number ->
                common.add(
                    Match.ne(PacketField.L4PROTO, Value.number(DataType.INET_PROTO, number))));
  }

  private static List<Clause> icmp(FamilyFields family, IcmpMatch match) {
    List<Clause> clauses = new ArrayList<>();
    clauses.add(Match.eq(family.icmpType(), Value.number(family.icmpTypeType(), match.type())));
    match
        .code()
        .ifPresent(
            code ->
                clauses.add(
                    Match.eq(family.icmpCode(), Value.number(family.icmpCodeType(), code))));
    return clauses;
  }

  /** Another type; or the type, and another code. */
  private List<List<Clause>> notIcmp(FamilyFields family) {
    if (rule.notIcmp().isEmpty()) {
      return List.of(List.of());
    }
    IcmpMatch match = rule.notIcmp().get();
    Value type = Value.number(family.icmpTypeType(), match.type());
    List<List<Clause>> alternatives = new ArrayList<>();
    alternatives.add(List.of(Match.ne(family.icmpType(), type)));
    match
        .code()
        .ifPresent(
            code ->
                alternatives.add(
                    List.of(
                        Match.eq(family.icmpType(), type),
                        Match.ne(family.icmpCode(), Value.number(family.icmpCodeType(), code)))));
    return alternatives;
  }

  /** False when the packet's address can never fit. */
  private boolean addAddresses(
      List<Clause> common, PeerMatch peer, FamilyFields family, PacketField address) {
    var nets = family.cover(peer.nets());
    if (nets.isEmpty() && !peer.nets().isEmpty()) {
      return false;
    }
    if (nets.size() == 1) {
      common.add(Match.within(address, nets.getFirst()));
    } else if (!nets.isEmpty()) {
      common.add(Match.in(constant(ConstantSet.networks(family, nets)), address));
    }
    var notNets = family.cover(peer.notNets());
    if (notNets.size() == 1) {
      if (notNets.getFirst().length() == 0) {
        return false;
      }
      common.add(Match.notWithin(address, notNets.getFirst()));
    } else if (!notNets.isEmpty()) {
      common.add(Match.notIn(constant(ConstantSet.networks(family, notNets)), address));
    }
    for (MemberSetId id : peer.sets()) {
      members.add(id);
      common.add(Match.in(sets.find(id, family.family()), address));
    }
    for (MemberSetId id : peer.notSets()) {
      members.add(id);
      common.add(Match.notIn(sets.find(id, family.family()), address));
    }
    return true;
  }

  private NamedSet constant(ConstantSet set) {
    constants.add(set);
    return set.set();
  }

  /** The conditions about the ports of one side. */
  private final class Ports {
    private final PeerMatch peer;
    private final PacketField generic;
    private final PacketField field;

    Ports(PeerMatch peer, boolean source, List<Clause> common) {
      this.peer = peer;
      this.generic = source ? PacketField.TH_SPORT : PacketField.TH_DPORT;
      this.field =
          switch (rule.protocol().orElse(0)) {
            case 6 -> source ? PacketField.TCP_SPORT : PacketField.TCP_DPORT;
            case 17 -> source ? PacketField.UDP_SPORT : PacketField.UDP_DPORT;
            case 132 -> source ? PacketField.SCTP_SPORT : PacketField.SCTP_DPORT;
            default -> generic;
          };
      var excluded = PortRanges.merge(peer.notPorts());
      if (!excluded.isEmpty()) {
        requirePorts(common);
        common.add(
            excluded.size() > 1
                ? Match.notIn(constant(ConstantSet.ports(excluded)), field)
                : excluded.getFirst().first() == excluded.getFirst().last()
                    ? Match.ne(field, Value.port(excluded.getFirst().first()))
                    : Match.notBetween(
                        field,
                        Value.port(excluded.getFirst().first()),
                        Value.port(excluded.getFirst().last())));
      }
    }

    /** What has no ports has other bytes there. */
    private void requirePorts(List<Clause> clauses) {
      if (!PROTOCOLS_WITH_PORTS.contains(rule.protocol().orElse(0))) {
        clauses.add(Match.in(constant(WITH_PORTS), PacketField.L4PROTO));
      }
    }

    List<List<Clause>> numeric() {
      var ranges = PortRanges.merge(peer.ports());
      if (ranges.isEmpty()) {
        return List.of(List.of());
      }
      List<Clause> clauses = new ArrayList<>();
      requirePorts(clauses);
      clauses.add(
          ranges.size() > 1
              ? Match.in(constant(ConstantSet.ports(ranges)), field)
              : ranges.getFirst().first() == ranges.getFirst().last()
                  ? Match.eq(field, Value.port(ranges.getFirst().first()))
                  : Match.between(
                      field,
                      Value.port(ranges.getFirst().first()),
                      Value.port(ranges.getFirst().last())));
      return List.of(clauses);
    }

    List<List<Clause>> of(FamilyFields family, PacketField address) {
      List<Clause> always = new ArrayList<>();
      for (MemberSetId id : peer.notNamedPorts()) {
        members.add(id);
        always.add(
            Match.notIn(sets.find(id, family.family()), address, PacketField.L4PROTO, generic));
      }
      for (MemberSetId id : peer.services()) {
        always.add(named(id, family, address));
      }
      List<List<Clause>> choices = new ArrayList<>();
      if (!peer.ports().isEmpty() || peer.namedPorts().isEmpty()) {
        choices.addAll(numeric());
      }
      for (MemberSetId id : peer.namedPorts()) {
        choices.add(List.of(named(id, family, address)));
      }
      return combine(always, choices);
    }

    private Clause named(MemberSetId id, FamilyFields family, PacketField address) {
      members.add(id);
      return Match.in(sets.find(id, family.family()), address, PacketField.L4PROTO, generic);
    }
  }

  /** What always holds, with each combination of one choice from every list. */
  @SafeVarargs
  private static List<List<Clause>> combine(List<Clause> common, List<List<Clause>>... choices) {
    List<List<Clause>> combined = List.of(List.copyOf(common));
    for (List<List<Clause>> some : choices) {
      List<List<Clause>> next = new ArrayList<>();
      for (List<Clause> before : combined) {
        for (List<Clause> choice : some) {
          List<Clause> both = new ArrayList<>(before);
          both.addAll(choice);
          next.add(both);
        }
      }
      combined = next;
    }
    return combined;
  }
}
