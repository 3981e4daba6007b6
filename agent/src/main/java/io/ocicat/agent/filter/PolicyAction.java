package io.ocicat.agent.filter;

/** What a rule does with the first packet of a flow that matches it. */
public enum PolicyAction {
  ALLOW,
  DENY,
  /** Leaves the tier: the next one decides; in a profile, leaves that profile. */
  PASS,
  /** Writes a line to the kernel's log; the following rules still apply. */
  LOG
}
