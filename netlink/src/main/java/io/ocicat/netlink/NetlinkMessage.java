package io.ocicat.netlink;

import io.ocicat.netlink.linux.NetlinkException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * One message from the kernel, copied out of the receive buffer.
 *
 * @param payload what follows the netlink header, positioned at its start, in the machine's byte
 *     order; not to be changed
 */
public record NetlinkMessage(int type, int flags, int sequence, ByteBuffer payload) {
  static final int NOOP = 1;
  static final int ERROR = 2;
  static final int DONE = 3;
  static final int OVERRUN = 4;

  static final int MULTI = 0x2;
  static final int DUMP_INTERRUPTED = 0x10;
  static final int ACK_TLVS = 0x200;

  private static final int HEADER = MessageWriter.HEADER;

  /** Splits the data of one receive into messages; throws if it is malformed. */
  static List<NetlinkMessage> split(byte[] datagram) {
    ByteBuffer in = ByteBuffer.wrap(datagram).order(ByteOrder.nativeOrder());
    List<NetlinkMessage> messages = new ArrayList<>();
    int at = 0;
    while (in.limit() - at >= HEADER) {
      int length = in.getInt(at);
      if (length < HEADER || length > in.limit() - at) {
        throw NetlinkException.malformed(
            "a message claims %d bytes where %d are left".formatted(length, in.limit() - at));
      }
      ByteBuffer payload = in.slice(at + HEADER, length - HEADER).order(ByteOrder.nativeOrder());
      messages.add(
          new NetlinkMessage(
              Short.toUnsignedInt(in.getShort(at + 4)),
              Short.toUnsignedInt(in.getShort(at + 6)),
              in.getInt(at + 8),
              payload));
      at += Math.min((length + 3) & ~3, in.limit() - at);
    }
    if (at < in.limit()) {
      throw NetlinkException.malformed((in.limit() - at) + " bytes remain after the last message");
    }
    return messages;
  }

  /**
   * The first {@code size} bytes of the payload: the structure that comes before the attributes.
   */
  public ByteBuffer header(int size) {
    if (payload.limit() < size) {
      throw NetlinkException.malformed(
          "message type %d has %d bytes, its header alone needs %d"
              .formatted(type, payload.limit(), size));
    }
    return payload.slice(0, size).order(ByteOrder.nativeOrder());
  }

  /** The attributes after a header of {@code size} bytes. */
  public Attributes attributes(int size) {
    header(size);
    int aligned = Math.min((size + 3) & ~3, payload.limit());
    return Attributes.parse(
        payload.slice(aligned, payload.limit() - aligned).order(ByteOrder.nativeOrder()));
  }

  boolean isMultipart() {
    return (flags & MULTI) != 0;
  }

  boolean isFromInterruptedDump() {
    return (flags & DUMP_INTERRUPTED) != 0;
  }
}
