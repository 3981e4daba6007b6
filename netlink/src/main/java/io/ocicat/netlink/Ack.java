package io.ocicat.netlink;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The kernel's acknowledgement of a message: an errno and, with NETLINK_EXT_ACK, sometimes an
 * explanation and the offset of the offending attribute (linux/netlink.h, enum nlmsgerr_attrs). A
 * dump ends in the same form.
 *
 * @param error 0 for success, else a positive errno
 * @param words the kernel's explanation, empty when there is none
 */
record Ack(int error, String words) {
  private static final int MESSAGE = 1;
  private static final int OFFSET = 2;
  private static final int MISSING_TYPE = 5;

  static Ack read(NetlinkMessage message) {
    return switch (message.type()) {
      // The error is followed by the header of the message it answers: NETLINK_CAP_ACK omits its
      // body.
      case NetlinkMessage.ERROR -> read(message, Integer.BYTES + MessageWriter.HEADER);
      case NetlinkMessage.DONE ->
          message.payload().limit() < Integer.BYTES ? new Ack(0, "") : read(message, Integer.BYTES);
      case NetlinkMessage.OVERRUN -> new Ack(Errno.ENOBUFS.number(), "");
      default ->
          throw NetlinkException.malformed("message type " + message.type() + " is no verdict");
    };
  }

  private static Ack read(NetlinkMessage message, int headerSize) {
    int error = -message.header(headerSize).getInt(0);
    if (error < 0) {
      throw NetlinkException.malformed("the kernel answered with error " + -error);
    }
    boolean explained = (message.flags() & NetlinkMessage.ACK_TLVS) != 0;
    return new Ack(error, explained ? explain(message.payload(), headerSize) : "");
  }

  private static String explain(ByteBuffer payload, int at) {
    Attributes attributes =
        Attributes.parse(payload.slice(at, payload.limit() - at).order(ByteOrder.nativeOrder()));
    StringBuilder words = new StringBuilder(attributes.text(MESSAGE, ""));
    if (attributes.has(MISSING_TYPE)) {
      note(words, "attribute " + attributes.u32(MISSING_TYPE, 0) + " is missing");
    }
    if (attributes.has(OFFSET)) {
      note(words, "at byte " + attributes.u32(OFFSET, 0) + " of the request");
    }
    return words.toString();
  }

  private static void note(StringBuilder words, String remark) {
    words.append(words.isEmpty() ? "" : ", ").append(remark);
  }

  boolean isSuccess() {
    return error == 0;
  }

  RequestOutcome.Failed failure(NetlinkRequest request) {
    return new RequestOutcome.Failed(request, new Errno(error), words);
  }
}
