package io.ocicat.netlink;

/** The netlink families in use. */
public enum Protocol {
  /** Links, addresses, routes, rules, neighbours, traffic control. */
  ROUTE(0),
  /** nf_tables and connection tracking. */
  NETFILTER(12);

  private final int number;

  Protocol(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  @Override
  public String toString() {
    return switch (this) {
      case ROUTE -> "rtnetlink";
      case NETFILTER -> "nf_tables";
    };
  }
}
