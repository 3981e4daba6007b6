package io.ocicat.netlink.nft;

import java.util.Arrays;
import java.util.Optional;

/**
 * A precondition for reading a packet field: {@code ip daddr} exists in IPv4 packets only, {@code
 * tcp dport} in TCP only. nft inserts these checks implicitly, and so do we.
 */
enum Layer {
  ETHERNET(Level.LINK, "ether", 1),
  IPV4(Level.NETWORK, "ip", 0x0800),
  IPV6(Level.NETWORK, "ip6", 0x86dd),
  ARP(Level.NETWORK, "arp", 0x0806),
  TCP(Level.TRANSPORT, "tcp", L4Protocol.TCP.number()),
  UDP(Level.TRANSPORT, "udp", L4Protocol.UDP.number()),
  SCTP(Level.TRANSPORT, "sctp", L4Protocol.SCTP.number()),
  ICMP(Level.TRANSPORT, "icmp", L4Protocol.ICMP.number()),
  ICMPV6(Level.TRANSPORT, "icmpv6", L4Protocol.ICMPV6.number());

  /** A packet has one of each. */
  enum Level {
    LINK,
    NETWORK,
    TRANSPORT
  }

  private final Level level;
  private final String word;
  private final int number;

  Layer(Level level, String word, int number) {
    this.level = level;
    this.word = word;
    this.number = number;
  }

  Level level() {
    return level;
  }

  /** ARPHRD_ETHER, the Ethernet type, or the protocol number. */
  int number() {
    return number;
  }

  static Optional<Layer> find(Level level, long number) {
    return Arrays.stream(values())
        .filter(layer -> layer.level == level && layer.number == number)
        .findFirst();
  }

  static String etherTypeWord(long etherType) {
    return find(Level.NETWORK, etherType)
        .map(Layer::toString)
        .orElse("0x%04x".formatted(etherType));
  }

  @Override
  public String toString() {
    return word;
  }
}
