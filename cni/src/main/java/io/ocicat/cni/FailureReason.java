package io.ocicat.cni;

/**
 * Why something failed, where the codes of the specification do not tell: most of what goes wrong
 * is 11 or 999. It stays inside a process, for those who count and explain failures; what a runtime
 * is told has no place for it.
 */
public enum FailureReason {
  ADDRESSES_EXHAUSTED,
  ADDRESS_TAKEN,
  PORT_TAKEN,

  /** By an earlier ADD, which had no DEL. */
  ALREADY_ATTACHED,
  NAME_TAKEN,

  /** An address leaves as it is that CHECK expects to be masqueraded. */
  MASQUERADE_MISSING,
  PLUGIN_MISSING,
  OVERLOADED,
  TIMED_OUT,
  DELETED_MEANWHILE,
  CALLER_GONE,
  SHUTTING_DOWN
}
