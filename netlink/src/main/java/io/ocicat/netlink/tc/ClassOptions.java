package io.ocicat.netlink.tc;

/** The settings of a class, by the kind of its qdisc. */
public sealed interface ClassOptions permits HtbClass, ClassOptions.Other {
  /** The kernel's name of the qdisc's kind. */
  String kind();

  /** A class of another kind of qdisc; its settings are not read. */
  record Other(String kind) implements ClassOptions {}
}
