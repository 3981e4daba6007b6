package io.ocicat.agent.policy;

import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.HostFilter;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.TierRules;
import io.ocicat.agent.filter.WorkloadFilter;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.agent.policy.model.PolicyProfile;
import io.ocicat.agent.policy.model.TieredPolicy;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Puts together what decides about the packets of one endpoint. */
final class EndpointFilters {
  private EndpointFilters() {}

  static WorkloadFilter workload(
      PolicyMember.Workload endpoint, PolicyOrder policies, List<IpPrefix> spoofable) {
    return new WorkloadFilter(
        endpoint.interfaceName(),
        endpoint.key().describe(),
        normal(endpoint, policies, PolicyDirection.INGRESS),
        normal(endpoint, policies, PolicyDirection.EGRESS),
        spoofable);
  }

  static HostFilter host(PolicyMember.HostEnd endpoint, PolicyOrder policies) {
    boolean tracked = endpoint.interfaceName().equals(HostFilter.WILDCARD);
    return new HostFilter(
        endpoint.key().name(),
        endpoint.interfaceName(),
        endpoint.addresses(),
        normal(endpoint, policies, PolicyDirection.INGRESS),
        normal(endpoint, policies, PolicyDirection.EGRESS),
        forward(policies, PolicyDirection.INGRESS),
        forward(policies, PolicyDirection.EGRESS),
        open(policies.openRules(PolicyDirection.INGRESS, TieredPolicy::preDnat)),
        tracked ? Optional.empty() : untracked(policies, PolicyDirection.INGRESS),
        tracked ? Optional.empty() : untracked(policies, PolicyDirection.EGRESS));
  }

  private static EndpointRules normal(
      PolicyMember endpoint, PolicyOrder policies, PolicyDirection direction) {
    return new EndpointRules(
        policies.rules(direction, TieredPolicy::isNormal),
        endpoint.profiles().stream()
            .map(profile -> PolicyProfile.ruleList(profile, direction))
            .toList(),
        EndpointRules.End.DROP);
  }

  private static Optional<EndpointRules> forward(PolicyOrder policies, PolicyDirection direction) {
    return open(policies.rules(direction, policy -> policy.isNormal() && policy.applyOnForward()));
  }

  private static Optional<EndpointRules> untracked(
      PolicyOrder policies, PolicyDirection direction) {
    return open(policies.openRules(direction, TieredPolicy::doNotTrack));
  }

  private static Optional<EndpointRules> open(List<TierRules> tiers) {
    return tiers.isEmpty()
        ? Optional.empty()
        : Optional.of(new EndpointRules(tiers, List.of(), EndpointRules.End.CONTINUE));
  }

  /** All rules that a filter refers to. */
  static Stream<EndpointRules> rulesOf(WorkloadFilter filter) {
    return Stream.of(filter.ingress(), filter.egress());
  }

  /** All rules that a filter refers to. */
  static Stream<EndpointRules> rulesOf(HostFilter filter) {
    return Stream.concat(
        Stream.of(filter.ingress(), filter.egress()),
        Stream.of(
                filter.forwardIngress(),
                filter.forwardEgress(),
                filter.preDnat(),
                filter.untrackedIngress(),
                filter.untrackedEgress())
            .flatMap(Optional::stream));
  }
}
