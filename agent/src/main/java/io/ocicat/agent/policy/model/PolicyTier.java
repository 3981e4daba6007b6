package io.ocicat.agent.policy.model;

import java.util.Comparator;

/**
 * A tier of policies.
 *
 * @param order infinite when none is given: such tiers come last, by name
 * @param passes whether a packet that no policy of the tier decides goes on to the next tier
 */
public record PolicyTier(String name, double order, boolean passes)
    implements Comparable<PolicyTier> {
  public static final String DEFAULT = "default";
  public static final String ADMIN = "kube-admin";
  public static final String BASELINE = "kube-baseline";

  private static final Comparator<PolicyTier> ORDER =
      Comparator.comparingDouble(PolicyTier::order).thenComparing(PolicyTier::name);

  /**
   * A tier that is not stored. Three have a fixed meaning, which does not depend on whether someone
   * has stored them yet. Policies of any other still apply, after those of all stored tiers.
   */
  public static PolicyTier missing(String name) {
    return switch (name) {
      case DEFAULT -> new PolicyTier(name, 1_000_000, false);
      case ADMIN -> new PolicyTier(name, 1_000, true);
      case BASELINE -> new PolicyTier(name, 10_000_000, true);
      default -> new PolicyTier(name, Double.POSITIVE_INFINITY, false);
    };
  }

  @Override
  public int compareTo(PolicyTier other) {
    return ORDER.compare(this, other);
  }
}
