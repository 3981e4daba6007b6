package io.ocicat.agent.matrix;

/** What a rule that matches says about a packet; rules that only log say nothing. */
enum Verdict {
  ALLOW,
  DENY,
  PASS,
  /** No rule matched. */
  NONE
}
