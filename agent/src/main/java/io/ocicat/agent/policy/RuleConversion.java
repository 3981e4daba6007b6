package io.ocicat.agent.policy;

import io.ocicat.agent.filter.FilterRule;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.PeerMatch;
import io.ocicat.agent.policy.model.PolicyRule;
import io.ocicat.agent.policy.model.RulePeer;
import io.ocicat.datastore.selector.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

/** Turns rules with selectors into rules with sets. */
final class RuleConversion {
  private final Function<MemberSource, MemberSetId> sets;

  /**
   * @param sets called for every reference to a set
   */
  RuleConversion(Function<MemberSource, MemberSetId> sets) {
    this.sets = sets;
  }

  FilterRule convert(PolicyRule rule) {
    return new FilterRule(
        rule.number(),
        rule.action(),
        rule.family(),
        rule.protocol(),
        rule.notProtocol(),
        rule.icmp(),
        rule.notIcmp(),
        convert(rule.source(), rule.protocol(), /* destination= */ false),
        convert(rule.destination(), rule.protocol(), /* destination= */ true));
  }

  private PeerMatch convert(RulePeer peer, OptionalInt protocol, boolean destination) {
    if (peer.equals(RulePeer.ANY)) {
      return PeerMatch.ANY;
    }
    List<MemberSetId> selected = new ArrayList<>();
    List<MemberSetId> services = new ArrayList<>();
    peer.selector()
        .ifPresent(selector -> selected.add(sets.apply(new MemberSource.Selected(selector))));
    peer.service()
        .ifPresent(
            service -> {
              if (destination) {
                services.add(sets.apply(new MemberSource.ServicePorts(service)));
              } else {
                selected.add(sets.apply(new MemberSource.ServiceAddresses(service)));
              }
            });
    List<MemberSetId> notSelected =
        peer.notSelector()
            .map(selector -> List.of(sets.apply(new MemberSource.Selected(selector))))
            .orElse(List.of());
    Selector ofPorts = peer.selector().orElse(Selector.ALL);
    return new PeerMatch(
        peer.nets(),
        peer.notNets(),
        selected,
        notSelected,
        peer.ports(),
        ports(peer.portNames(), ofPorts, protocol),
        peer.notPorts(),
        ports(peer.notPortNames(), ofPorts, protocol),
        services);
  }

  private List<MemberSetId> ports(List<String> names, Selector selector, OptionalInt protocol) {
    return names.stream()
        .map(name -> sets.apply(new MemberSource.PortsByName(selector, protocol, name)))
        .toList();
  }
}
