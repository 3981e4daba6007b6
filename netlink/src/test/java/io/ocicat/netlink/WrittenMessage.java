package io.ocicat.netlink;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A request as it goes to the kernel, for comparison with what other programs send. */
public final class WrittenMessage {
  private WrittenMessage() {}

  /** What follows the netlink header. */
  public static byte[] payloadOf(Request request) {
    try (Arena arena = Arena.ofConfined()) {
      MessageWriter out = new MessageWriter(arena.allocate(64 * 1024, Long.BYTES));
      out.message(request, 1);
      return out.memory()
          .asSlice(MessageWriter.HEADER, out.length() - MessageWriter.HEADER)
          .toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /** A message as the kernel might send it. */
  public static NetlinkMessage withPayload(int type, byte[] payload) {
    ByteBuffer bytes = ByteBuffer.wrap(payload).order(ByteOrder.nativeOrder());
    return new NetlinkMessage(type, 0, 1, bytes);
  }
}
