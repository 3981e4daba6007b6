package io.ocicat.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A request as it is sent to the kernel, for comparison with what other programs send. */
public final class WrittenMessage {
  private WrittenMessage() {}

  /** What follows the netlink header. */
  public static byte[] payloadOf(NetlinkRequest request) {
    MessageWriter out = new MessageWriter(64);
    out.message(request, 1);
    return Arrays.copyOfRange(out.bytes(), MessageWriter.HEADER, out.length());
  }

  /** A message as the kernel might send it. */
  public static NetlinkMessage withPayload(int type, byte[] payload) {
    ByteBuffer bytes = ByteBuffer.wrap(payload).order(ByteOrder.nativeOrder());
    return new NetlinkMessage(type, 0, 1, bytes);
  }
}
