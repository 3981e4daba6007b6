package io.ocicat.netlink.tc;

/** An action of a filter on the packets it matches. */
public sealed interface Action permits Mirred, Action.Other {
  /** The kernel's name, for instance {@code mirred}. */
  String kind();

  /** An action that somebody else attached; it is reported but cannot be written from here. */
  record Other(String kind) implements Action {}
}
