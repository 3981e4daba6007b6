package io.ocicat.netlink.nft;

/** Whom a frame was sent to. */
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
