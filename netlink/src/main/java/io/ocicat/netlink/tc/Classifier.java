package io.ocicat.netlink.tc;

/** The kind and settings of a filter: how it matches packets and what it does with them. */
public sealed interface Classifier permits U32, U32Table, MatchAll, Classifier.Other {
  /** The kernel's name, for instance {@code u32}. */
  String kind();

  /** A filter of another kind; it is reported but cannot be written from here. */
  record Other(String kind) implements Classifier {}
}
