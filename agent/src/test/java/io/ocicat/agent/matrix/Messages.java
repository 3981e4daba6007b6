package io.ocicat.agent.matrix;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The SCTP (RFC 9260) and ICMP messages that probes send and understand. */
final class Messages {
  static final int SCTP = 132;
  static final int ICMP = 1;
  static final int ICMPV6 = 58;
  static final int INIT = 1;
  static final int INIT_ACK = 2;

  private static final int ECHO_REQUEST_V4 = 8;
  private static final int ECHO_REQUEST_V6 = 128;
  private static final int ECHO_REPLY_V6 = 129;
  private static final int SCTP_LENGTH = 32;
  private static final int SCTP_TAG = 4;
  private static final int SCTP_CHECKSUM = 8;
  private static final int SCTP_CHUNK = 12;
  private static final int SCTP_INITIATE_TAG = 16;
  private static final int CHUNK_LENGTH = 20;
  private static final int WINDOW = 65536;
  private static final int ICMP_LENGTH = 16;

  private Messages() {}

  /** The head of an SCTP packet. */
  record SctpHead(int sourcePort, int destinationPort, int chunk, int initiateTag) {
    static SctpHead of(ByteBuffer packet) {
      return packet.remaining() < SCTP_LENGTH
          ? new SctpHead(0, 0, 0, 0)
          : new SctpHead(
              Short.toUnsignedInt(packet.getShort(0)),
              Short.toUnsignedInt(packet.getShort(2)),
              packet.get(SCTP_CHUNK),
              packet.getInt(SCTP_INITIATE_TAG));
    }
  }

  /**
   * An INIT or INIT ACK.
   *
   * @param tag the other side's, 0 for the first packet
   */
  static byte[] sctp(int from, int to, int chunk, int tag, int ownTag) {
    ByteBuffer packet = ByteBuffer.allocate(SCTP_LENGTH);
    packet.putShort((short) from).putShort((short) to);
    packet.putInt(SCTP_TAG, tag);
    packet.position(SCTP_CHUNK);
    packet.put((byte) chunk).put((byte) 0).putShort((short) CHUNK_LENGTH);
    packet.putInt(ownTag).putInt(WINDOW).putShort((short) 1).putShort((short) 1).putInt(ownTag);
    CRC32C checksum = new CRC32C();
    checksum.update(packet.array());
    packet.putInt(SCTP_CHECKSUM, Integer.reverseBytes((int) checksum.getValue()));
    return packet.array();
  }

  /** The answer to an INIT. */
  static byte[] initAck(SctpHead init) {
    int local = init.destinationPort();
    int remote = init.sourcePort();
    return sctp(local, remote, INIT_ACK, init.initiateTag(), init.initiateTag() + 1);
  }

  /** An echo request; of ICMPv6 the kernel writes the checksum. */
  static byte[] echoRequest(boolean v4, int identifier, int cell) {
    ByteBuffer message = ByteBuffer.allocate(ICMP_LENGTH);
    message.put((byte) (v4 ? ECHO_REQUEST_V4 : ECHO_REQUEST_V6)).put((byte) 0).putShort((short) 0);
    message.putShort((short) identifier).putShort((short) 1).putInt(cell).putInt(identifier);
    if (v4) {
      int sum = 0;
      for (int at = 0; at < ICMP_LENGTH; at += Short.BYTES) {
        sum += Short.toUnsignedInt(message.getShort(at));
      }
      sum = (sum & 0xffff) + (sum >>> Short.SIZE);
      message.putShort(2, (short) ~(sum + (sum >>> Short.SIZE)));
    }
    return message.array();
  }

  /** Returns the cell that an echo reply answers; -1 for any other message. */
  static int answeredCell(boolean v4, ByteBuffer message) {
    int reply = v4 ? 0 : ECHO_REPLY_V6;
    return message.remaining() == ICMP_LENGTH && Byte.toUnsignedInt(message.get(0)) == reply
        ? message.getInt(8)
        : -1;
  }

  static int identifier(ByteBuffer message) {
    return Short.toUnsignedInt(message.getShort(4));
  }
}
