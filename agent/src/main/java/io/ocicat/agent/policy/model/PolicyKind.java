package io.ocicat.agent.policy.model;

/** The kinds of policies that are enforced, by Calico's abbreviations. */
public enum PolicyKind {
  /** Calico's NetworkPolicy. */
  NP("np"),
  /** Calico's GlobalNetworkPolicy. */
  GNP("gnp"),
  /** Kubernetes' NetworkPolicy. */
  KNP("knp"),
  /** Kubernetes' ClusterNetworkPolicy. */
  KCNP("kcnp");

  private final String text;

  PolicyKind(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
