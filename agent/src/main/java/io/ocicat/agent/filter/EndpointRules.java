package io.ocicat.agent.filter;

import java.util.List;

/**
 * What decides about the first packet of a flow to or from an endpoint: its tiers in their order,
 * then its profiles, then {@code end}. Endpoints with equal rules share their chains.
 *
 * @param profiles rule lists of profiles; one that does not exist is a list without rules
 */
public record EndpointRules(List<TierRules> tiers, List<RuleListId> profiles, End end) {
  /** What becomes of a packet that neither tiers nor profiles decide. */
  public enum End {
    DROP,
    /** It goes on to whatever else looks at packets. */
    CONTINUE
  }

  /** Drops everything. */
  public static final EndpointRules CLOSED = new EndpointRules(List.of(), List.of(), End.DROP);

  public EndpointRules {
    tiers = List.copyOf(tiers);
    profiles = List.copyOf(profiles);
  }
}
