package io.ocicat.netlink.linux;

/** How a Unix socket carries what is sent. Both are connected and lose nothing. */
public enum SocketType {
  /** A stream of bytes, received in pieces of any size. */
  STREAM(1),
  /** Messages, each received whole. */
  SEQPACKET(5);

  private final int number;

  SocketType(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }
}
