package io.ocicat.netlink.nft;

import java.util.Optional;

/**
 * The data types of keys, map data and packet fields. The numbers are nft's own: the kernel only
 * stores them, and nft prints a set by them.
 */
public enum DataType {
  NF_PROTO(2, "nf_proto", 1, true),
  INTEGER(4, "integer", 4, false),
  IPV4_ADDR(7, "ipv4_addr", 4, true),
  IPV6_ADDR(8, "ipv6_addr", 16, true),
  ETHER_ADDR(9, "ether_addr", 6, true),
  ETHER_TYPE(10, "ether_type", 2, true),
  ARP_OP(11, "arp_op", 2, true),
  INET_PROTO(12, "inet_proto", 1, true),
  INET_SERVICE(13, "inet_service", 2, true),
  ICMP_TYPE(14, "icmp_type", 1, true),
  MARK(19, "mark", 4, false),
  IFACE_INDEX(20, "iface_index", 4, false),
  IFACE_TYPE(21, "iface_type", 2, false),
  CT_STATE(26, "ct_state", 4, false),
  CT_DIR(27, "ct_dir", 1, false),
  CT_STATUS(28, "ct_status", 4, false),
  ICMPV6_TYPE(29, "icmpv6_type", 1, true),
  PKT_TYPE(31, "pkt_type", 1, false),
  ICMP_CODE(32, "icmp_code", 1, true),
  ICMPV6_CODE(33, "icmpv6_code", 1, true),
  DEVGROUP(35, "devgroup", 4, false),
  FIB_ADDRTYPE(38, "fib_addrtype", 4, false),
  /** Whether the fib has a route; it fills a register. */
  BOOLEAN(39, "boolean", 4, false),
  IFNAME(41, "ifname", 16, false),
  /** Bytes of a type that is not in this list. */
  OPAQUE(0, "opaque", 0, false);

  private final int number;
  private final String word;
  private final int size;
  private final boolean bigEndian;

  DataType(int number, String word, int size, boolean bigEndian) {
    this.number = number;
    this.word = word;
    this.size = size;
    this.bigEndian = bigEndian;
  }

  static Optional<DataType> of(int number) {
    for (DataType type : values()) {
      if (type.number == number && type != OPAQUE) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }

  int number() {
    return number;
  }

  /** In bytes; 0 when it varies. */
  int size() {
    return size;
  }

  /** Big-endian, as in packets; the others are in the machine's order. */
  boolean isBigEndian() {
    return bigEndian;
  }

  /** Its name in nft. */
  @Override
  public String toString() {
    return word;
  }
}
