package io.ocicat.conformance.check;

/** How much of a rule it is, in the words of RFC 2119. */
public enum Severity {
  /** Runtimes rely on it. */
  MUST,

  /** The specification recommends it, or everybody's library does so. */
  SHOULD
}
