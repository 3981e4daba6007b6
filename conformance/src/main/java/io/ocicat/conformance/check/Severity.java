package io.ocicat.conformance.check;

/** How binding a requirement is, in the terms of RFC 2119. */
public enum Severity {
  /** Runtimes rely on it. */
  MUST,

  /** The specification recommends it, or the common library does so. */
  SHOULD
}
