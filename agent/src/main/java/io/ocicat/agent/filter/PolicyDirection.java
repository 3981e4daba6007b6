package io.ocicat.agent.filter;

/** The direction of traffic that rules apply to, as the endpoint sees it. */
public enum PolicyDirection {
  INGRESS,
  EGRESS
}
