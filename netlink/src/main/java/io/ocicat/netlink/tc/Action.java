package io.ocicat.netlink.tc;

/** What is done to a packet that a filter chose. */
public sealed interface Action permits Mirred, Action.Other {
  /** The kernel's name, for instance {@code mirred}. */
  String kind();

  /** An action somebody else attached; it is reported but cannot be written from here. */
  record Other(String kind) implements Action {}
}
