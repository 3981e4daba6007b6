package io.ocicat.netlink.linux;

/** The type of a Unix socket: stream or messages. Both are connected and reliable. */
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
