package io.ocicat.agent.policy;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.FilterRule;
import io.ocicat.agent.filter.IcmpMatch;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.PeerMatch;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PortRange;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.filter.SetMember;
import io.ocicat.agent.filter.TierRules;
import io.ocicat.agent.policy.explain.FirstPacket;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What a {@link DesiredFilter} does with the first packet of a flow, read literally from what its
 * types say. Knows neither labels nor nf_tables.
 */
public final class FilterInterpreter {
  private final DesiredFilter filter;

  public FilterInterpreter(DesiredFilter filter) {
    this.filter = filter;
  }

  /** What becomes of a packet. */
  public enum Outcome {
    ALLOWED,
    DENIED,
    /** Nothing decided. */
    CONTINUES
  }

  public Outcome evaluate(EndpointRules rules, FirstPacket packet) {
    for (TierRules tier : rules.tiers()) {
      Optional<PolicyAction> action = Optional.empty();
      for (RuleListId policy : tier.policies()) {
        action = action.or(() -> evaluate(policy, packet));
      }
      if (action.isEmpty() && !tier.passes()) {
        return Outcome.DENIED;
      }
      if (action.isPresent() && action.get() != PolicyAction.PASS) {
        return outcome(action.get());
      }
    }
    for (RuleListId profile : rules.profiles()) {
      Optional<PolicyAction> action = evaluate(profile, packet);
      if (action.isPresent() && action.get() != PolicyAction.PASS) {
        return outcome(action.get());
      }
    }
    return rules.end() == EndpointRules.End.DROP ? Outcome.DENIED : Outcome.CONTINUES;
  }

  private static Outcome outcome(PolicyAction action) {
    return action == PolicyAction.ALLOW ? Outcome.ALLOWED : Outcome.DENIED;
  }

  private Optional<PolicyAction> evaluate(RuleListId list, FirstPacket packet) {
    return filter.ruleLists().getOrDefault(list, List.of()).stream()
        .filter(rule -> rule.action() != PolicyAction.LOG && matches(rule, packet))
        .map(FilterRule::action)
        .findFirst();
  }

  private boolean matches(FilterRule rule, FirstPacket packet) {
    return rule.family().filter(family -> family != packet.family()).isEmpty()
        && rule.protocol().orElse(packet.protocol()) == packet.protocol()
        && (rule.notProtocol().isEmpty() || rule.notProtocol().getAsInt() != packet.protocol())
        && rule.icmp().filter(icmp -> !isOf(packet, icmp)).isEmpty()
        && rule.notIcmp().filter(icmp -> isOf(packet, icmp)).isEmpty()
        && matches(rule.source(), packet.source(), packet.sourcePort(), packet.protocol())
        && matches(
            rule.destination(), packet.destination(), packet.destinationPort(), packet.protocol());
  }

  private static boolean isOf(FirstPacket packet, IcmpMatch wanted) {
    return packet
        .icmp()
        .filter(
            icmp ->
                icmp.type() == wanted.type()
                    && (wanted.code().isEmpty() || wanted.code().equals(icmp.code())))
        .isPresent();
  }

  private boolean matches(PeerMatch peer, IpAddress address, OptionalInt port, int protocol) {
    boolean anyPort = peer.ports().isEmpty() && peer.namedPorts().isEmpty();
    return (peer.nets().isEmpty() || contains(peer.nets(), address))
        && !contains(peer.notNets(), address)
        && peer.sets().stream().allMatch(set -> contains(set, address))
        && peer.notSets().stream().noneMatch(set -> contains(set, address))
        && (anyPort
            || inRange(peer.ports(), port)
            || peer.namedPorts().stream().anyMatch(set -> contains(set, address, protocol, port)))
        && !inRange(peer.notPorts(), port)
        && peer.notNamedPorts().stream().noneMatch(set -> contains(set, address, protocol, port))
        && peer.services().stream().allMatch(set -> contains(set, address, protocol, port));
  }

  private static boolean inRange(List<PortRange> ranges, OptionalInt port) {
    return port.isPresent() && ranges.stream().anyMatch(range -> range.contains(port.getAsInt()));
  }

  private static boolean contains(List<IpPrefix> nets, IpAddress address) {
    return nets.stream().anyMatch(net -> net.isV4() == address.isV4() && net.contains(address));
  }

  private boolean contains(MemberSetId set, IpAddress address) {
    return filter.sets().getOrDefault(set, Set.of()).stream()
        .anyMatch(
            member ->
                member instanceof SetMember.Network(IpPrefix prefix)
                    && prefix.isV4() == address.isV4()
                    && prefix.contains(address));
  }

  private boolean contains(MemberSetId set, IpAddress address, int protocol, OptionalInt port) {
    return port.isPresent()
        && filter
            .sets()
            .getOrDefault(set, Set.of())
            .contains(new SetMember.Port(address, protocol, port.getAsInt()));
  }
}
