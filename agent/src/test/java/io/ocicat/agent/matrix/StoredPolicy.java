package io.ocicat.agent.matrix;

/** A policy of any kind that is enforced, as the oracle evaluates it. */
interface StoredPolicy {
  String tier();

  /** Infinite for a policy without one. */
  double order();

  /** Decides between policies of equal order. */
  String tieBreak();

  /** Whether it decides about flows of this endpoint in this direction. */
  boolean applies(KnownEndpoint endpoint, Flow direction);

  Verdict decide(Packet packet, Flow direction);

  /** Whether it also applies to what a host forwards. */
  default boolean appliesOnForward() {
    return false;
  }
}
