package io.ocicat.agent.filter;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides about packets as the kernel's rules made from a {@link DesiredFilter} do, one rule after
 * the other: for connections that exist already, which the kernel does not ask about again.
 */
public final class FilterEvaluation {
  private final DesiredFilter filter;

  public FilterEvaluation(DesiredFilter filter) {
    this.filter = filter;
  }

  /** What these rules decide about the first packet of a flow. */
  public FilterDecision decide(EndpointRules rules, FirstPacket packet) {
    for (TierRules tier : rules.tiers()) {
      FilterDecision decision = decide(tier, packet);
      if (decision != null) {
        return decision;
      }
    }
    for (RuleListId profile : rules.profiles()) {
      for (FilterRule rule : rules(profile)) {
        if (matches(rule, packet)) {
          if (rule.action() == PolicyAction.PASS) {
            break;
          }
          if (rule.action() != PolicyAction.LOG) {
            return decision("", profile, rule);
          }
        }
      }
    }
    return new FilterDecision(
        rules.end() == EndpointRules.End.CONTINUE, "", "", OptionalInt.empty());
  }

  private @Nullable FilterDecision decide(TierRules tier, FirstPacket packet) {
    for (RuleListId policy : tier.policies()) {
      for (FilterRule rule : rules(policy)) {
        if (rule.action() == PolicyAction.LOG || !matches(rule, packet)) {
          continue;
        }
        return rule.action() == PolicyAction.PASS ? null : decision(tier.tier(), policy, rule);
      }
    }
    return tier.passes() ? null : new FilterDecision(false, tier.tier(), "", OptionalInt.empty());
  }

  private List<FilterRule> rules(RuleListId id) {
    return filter.ruleLists().getOrDefault(id, List.of());
  }

  private static FilterDecision decision(String tier, RuleListId list, FilterRule rule) {
    return new FilterDecision(
        rule.action() == PolicyAction.ALLOW, tier, list.owner(), OptionalInt.of(rule.number()));
  }

  private boolean matches(FilterRule rule, FirstPacket packet) {
    IpFamily family = packet.family();
    int protocol = packet.protocol();
    return rule.family().filter(wanted -> wanted != family).isEmpty()
        && (rule.protocol().isEmpty() || rule.protocol().getAsInt() == protocol)
        && (rule.notProtocol().isEmpty() || rule.notProtocol().getAsInt() != protocol)
        && rule.icmp().map(wanted -> isOf(packet.icmp(), wanted)).orElse(true)
        && rule.notIcmp().map(wanted -> !isOf(packet.icmp(), wanted)).orElse(true)
        && matches(rule.source(), packet.source(), protocol, packet.sourcePort())
        && matches(rule.destination(), packet.destination(), protocol, packet.destinationPort());
  }

  private static boolean isOf(Optional<IcmpMatch> actual, IcmpMatch wanted) {
    return actual
        .filter(icmp -> icmp.type() == wanted.type())
        .filter(icmp -> wanted.code().isEmpty() || wanted.code().equals(icmp.code()))
        .isPresent();
  }

  private boolean matches(PeerMatch peer, IpAddress address, int protocol, OptionalInt port) {
    return (peer.nets().isEmpty() || isIn(peer.nets(), address))
        && !isIn(peer.notNets(), address)
        && peer.sets().stream().allMatch(set -> contains(set, address))
        && peer.notSets().stream().noneMatch(set -> contains(set, address))
        && hasPort(peer, address, protocol, port)
        && !isIn(peer.notPorts(), port)
        && peer.notNamedPorts().stream().noneMatch(set -> contains(set, address, protocol, port))
        && peer.services().stream().allMatch(set -> contains(set, address, protocol, port));
  }

  private boolean hasPort(PeerMatch peer, IpAddress address, int protocol, OptionalInt port) {
    return (peer.ports().isEmpty() && peer.namedPorts().isEmpty())
        || isIn(peer.ports(), port)
        || peer.namedPorts().stream().anyMatch(set -> contains(set, address, protocol, port));
  }

  private static boolean isIn(List<PortRange> ranges, OptionalInt port) {
    return port.isPresent() && ranges.stream().anyMatch(it -> it.contains(port.getAsInt()));
  }

  private static boolean isIn(List<IpPrefix> nets, IpAddress address) {
    return nets.stream().anyMatch(net -> net.contains(address));
  }

  private boolean contains(MemberSetId set, IpAddress address) {
    Set<SetMember> members = filter.sets().getOrDefault(set, Set.of());
    for (int length = address.bitLength(); length >= 0 && !members.isEmpty(); length--) {
      if (members.contains(new SetMember.Network(IpPrefix.of(address, length).network()))) {
        return true;
      }
    }
    return false;
  }

  private boolean contains(MemberSetId set, IpAddress address, int protocol, OptionalInt port) {
    return port.isPresent()
        && filter
            .sets()
            .getOrDefault(set, Set.of())
            .contains(new SetMember.Port(address, protocol, port.getAsInt()));
  }
}
