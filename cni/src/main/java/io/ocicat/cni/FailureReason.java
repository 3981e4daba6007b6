package io.ocicat.cni;

/**
 * Why something failed, where the codes of the specification are too coarse: most failures are 11
 * or 999. It stays inside a process, for metrics and explanations; the error object has no member
 * for it.
 */
public enum FailureReason {
  ADDRESSES_EXHAUSTED,
  ADDRESS_TAKEN,
  PORT_TAKEN,

  /** An earlier ADD had no DEL. */
  ALREADY_ATTACHED,
  NAME_TAKEN,

  /** An address is not masqueraded although CHECK expects it. */
  MASQUERADE_MISSING,
  PLUGIN_MISSING,
  OVERLOADED,
  TIMED_OUT,
  DELETED_MEANWHILE,
  CALLER_GONE,
  SHUTTING_DOWN
}
