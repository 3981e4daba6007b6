package io.ocicat.netlink.nft;

/** The link-layer destination type of a frame: this host, broadcast, multicast or another host. */
public enum PacketType implements Symbol {
  HOST(0),
  BROADCAST(1),
  MULTICAST(2),
  OTHER(3);

  private final int number;

  PacketType(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
