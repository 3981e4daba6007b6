package io.ocicat.netlink;

/** The kind of object that a request is about. */
public enum ObjectKind {
  LINK,
  ADDRESS,
  ROUTE,
  NEIGHBOUR,
  RULE,
  TRAFFIC_CONTROL,
  CONNTRACK,
  NF_TABLES,
  OTHER;

  private static final int SUBSYS_CTNETLINK = 1;
  private static final int SUBSYS_NFTABLES = 10;

  /**
   * rtnetlink has four message types for each kind; netfilter has its subsystem in the high byte.
   */
  static ObjectKind of(int messageType) {
    return switch (messageType >> 8) {
      case SUBSYS_CTNETLINK -> CONNTRACK;
      case SUBSYS_NFTABLES -> NF_TABLES;
      case 0 ->
          switch (messageType >> 2) {
            case 4 -> LINK;
            case 5 -> ADDRESS;
            case 6 -> ROUTE;
            case 7 -> NEIGHBOUR;
            case 8 -> RULE;
            case 9, 10, 11 -> TRAFFIC_CONTROL;
            default -> OTHER;
          };
      default -> OTHER;
    };
  }
}
