package io.ocicat.netlink;

import java.util.HexFormat;

/** The bytes of a request on the wire, for comparison with what other programs send. */
public final class RequestBytes {
  private RequestBytes() {}

  /** The whole message with sequence number 0, as hexadecimal bytes with a blank between. */
  public static String of(NetlinkRequest request) {
    MessageWriter out = new MessageWriter(64);
    out.message(request, 0);
    out.acknowledgeLast();
    return HexFormat.ofDelimiter(" ").formatHex(out.bytes(), 0, out.length());
  }
}
