package io.ocicat.agent.policy.model;

import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.selector.Selector;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * A policy.
 *
 * @param name the name that counts for its order; that of {@code key} may have a prefix that old
 *     releases stored
 * @param order infinite when none is given: such policies come last in their tier
 * @param types the directions it applies to
 * @param selector of its endpoints, the namespace included
 * @param doNotTrack whether it applies to host endpoints before connection tracking, and only there
 * @param preDnat whether it applies to host endpoints before destinations are translated, and only
 *     there
 * @param applyOnForward whether it applies to what host endpoints forward as well
 */
public record TieredPolicy(
    ResourceKey key,
    PolicyKind kind,
    String name,
    String tier,
    double order,
    Set<PolicyDirection> types,
    Selector selector,
    List<PolicyRule> ingress,
    List<PolicyRule> egress,
    boolean doNotTrack,
    boolean preDnat,
    boolean applyOnForward) {

  /** The order within a tier. */
  public static final Comparator<TieredPolicy> ORDER =
      Comparator.comparingDouble(TieredPolicy::order)
          .thenComparing(TieredPolicy::tieBreak)
          .thenComparing(TieredPolicy::owner);

  public TieredPolicy {
    types = Set.copyOf(types);
    ingress = List.copyOf(ingress);
    egress = List.copyOf(egress);
  }

  public String namespace() {
    return key.namespace();
  }

  private String tieBreak() {
    return name + "/" + namespace() + "/" + kind.text();
  }

  /** Names the policy among all that are enforced: {@code np/shop/allow-web}. */
  public String owner() {
    return kind.text() + "/" + namespace() + "/" + key.name();
  }

  public List<PolicyRule> rules(PolicyDirection direction) {
    return direction == PolicyDirection.INGRESS ? ingress : egress;
  }

  public RuleListId ruleList(PolicyDirection direction) {
    return new RuleListId(owner(), direction);
  }

  /** Whether it applies to connections rather than to single packets of host endpoints. */
  public boolean isNormal() {
    return !doNotTrack && !preDnat;
  }
}
