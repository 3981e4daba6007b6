package io.ocicat.netlink.nft;

/** The type of an address in the machine's routing tables: local, broadcast and so on. */
public enum AddressType implements Symbol {
  UNSPEC(0),
  UNICAST(1),
  LOCAL(2),
  BROADCAST(3),
  ANYCAST(4),
  MULTICAST(5),
  BLACKHOLE(6),
  UNREACHABLE(7),
  PROHIBIT(8);

  private final int number;

  AddressType(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
