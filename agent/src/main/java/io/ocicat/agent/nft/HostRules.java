package io.ocicat.agent.nft;

import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.HostFilter;
import io.ocicat.netlink.nft.NamedSet;
import java.util.Map;
import java.util.Optional;

/** Which rules of a host endpoint are asked where. */
final class HostRules {
  /** Where a host endpoint may have no rules: then its packets go on. */
  static final Map<EndpointHook, NamedSet> OPTIONAL =
      Map.of(
          EndpointHook.FORWARD_IN, BaseChains.HOST_FORWARD_IN,
          EndpointHook.FORWARD_OUT, BaseChains.HOST_FORWARD_OUT,
          EndpointHook.PRE_DNAT, BaseChains.HOST_PRE_DNAT,
          EndpointHook.UNTRACKED_IN, BaseChains.HOST_RAW_IN,
          EndpointHook.UNTRACKED_OUT, BaseChains.HOST_RAW_OUT);

  private HostRules() {}

  static Optional<EndpointRules> find(HostFilter host, EndpointHook hook) {
    return switch (hook) {
      case HOST_IN -> Optional.of(host.ingress());
      case HOST_OUT, HOST_TRANSLATED_OUT -> Optional.of(host.egress());
      case FORWARD_IN -> host.forwardIngress();
      case FORWARD_OUT -> host.forwardEgress();
      case PRE_DNAT -> host.preDnat();
      case UNTRACKED_IN -> host.untrackedIngress();
      case UNTRACKED_OUT -> host.untrackedEgress();
      case TO_WORKLOAD, FROM_WORKLOAD -> Optional.empty();
    };
  }
}
