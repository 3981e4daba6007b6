package io.ocicat.netlink.nft;

import io.ocicat.netlink.linux.NetlinkException;

/** The family of a table, by nft's names: which packets it sees. */
public enum TableFamily implements Symbol {
  IP(2, "ip"),
  IP6(10, "ip6"),
  /** IPv4 and IPv6. */
  INET(1, "inet"),
  ARP(3, "arp"),
  BRIDGE(7, "bridge"),
  /** Everything a device receives or sends, before and after the network layer. */
  NETDEV(5, "netdev");

  private final int number;
  private final String word;

  TableFamily(int number, String word) {
    this.number = number;
    this.word = word;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public String word() {
    return word;
  }

  static TableFamily of(int number) {
    return Symbol.find(values(), number)
        .orElseThrow(
            () -> NetlinkException.malformed("nf_tables family " + number + " is unknown"));
  }

  @Override
  public String toString() {
    return word;
  }
}
