package io.ocicat.netlink;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.util.HexFormat;

/** What a request looks like on the wire, for comparison with what other programs send. */
public final class RequestBytes {
  private RequestBytes() {}

  /** The whole message with sequence number 0, as hexadecimal bytes with a blank between. */
  public static String of(Request request) {
    MessageWriter out = new MessageWriter(Arena.ofAuto().allocate(4096, Long.BYTES));
    out.message(request, 0);
    out.acknowledgeLast();
    byte[] bytes = out.memory().asSlice(0, out.length()).toArray(JAVA_BYTE);
    return HexFormat.ofDelimiter(" ").formatHex(bytes);
  }
}
