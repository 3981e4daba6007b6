package io.ocicat.netlink;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Writes netlink messages. Methods with one argument write a field of a fixed structure; methods
 * with two write an attribute, type first. Numbers are in the machine's order unless the name says
 * {@code be} (big-endian, as nf_tables and everything taken from packet headers want them).
 *
 * <p>It writes into an array, which is copied for the kernel when it is sent: an access to native
 * memory runs many times the code, which matters in a process that is too short-lived to compile
 * it.
 *
 * <p>Not thread-safe: a writer belongs to the exchange that handed it out.
 */
public final class MessageWriter {
  static final int HEADER = 16;
  private static final int FLAGS = 6;
  private static final int REQUEST = 0x1;
  private static final int ACK = 0x4;
  private static final int NESTED = 0x8000;

  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
  private static final int MAX = 64 * 1024 * 1024;

  private byte[] bytes;
  private int end;
  private int lastMessage;

  MessageWriter(int size) {
    this.bytes = new byte[size];
  }

  /** Starts again at the beginning. */
  void reset() {
    end = 0;
  }

  /**
   * The array with what was written; the content after {@link #length} is left from earlier
   * messages.
   */
  byte[] bytes() {
    return bytes;
  }

  int length() {
    return end;
  }

  void message(NetlinkRequest request, int sequence) {
    lastMessage = end;
    field32(0).field16(request.type()).field16(request.flags() | REQUEST);
    field32(sequence).field32(0);
    request.writeBody(this);
    put32(lastMessage, end - lastMessage);
    align();
  }

  /** Requests an acknowledgement of the message written last even when it succeeds. */
  void acknowledgeLast() {
    bytes[lastMessage + FLAGS + (LITTLE ? 0 : 1)] |= ACK;
  }

  public MessageWriter field8(int value) {
    int at = advance(1);
    bytes[at] = (byte) value;
    return this;
  }

  public MessageWriter field16(int value) {
    put16(advance(2), value);
    return this;
  }

  public MessageWriter field32(int value) {
    put32(advance(4), value);
    return this;
  }

  public MessageWriter field64(long value) {
    return LITTLE
        ? field32((int) value).field32((int) (value >>> 32))
        : field32((int) (value >>> 32)).field32((int) value);
  }

  public MessageWriter fieldBe16(int value) {
    return field16(LITTLE ? Short.reverseBytes((short) value) : value);
  }

  public MessageWriter fieldBe32(int value) {
    return field32(LITTLE ? Integer.reverseBytes(value) : value);
  }

  public MessageWriter fieldBytes(byte... value) {
    int at = advance(value.length);
    System.arraycopy(value, 0, bytes, at, value.length);
    return this;
  }

  /** Pads with zeros, as unused fields of a structure must be. */
  public MessageWriter zeros(int count) {
    int at = advance(count);
    Arrays.fill(bytes, at, end, (byte) 0);
    return this;
  }

  public MessageWriter u8(int type, int value) {
    return open(type, 1).field8(value).align();
  }

  public MessageWriter u16(int type, int value) {
    return open(type, 2).field16(value).align();
  }

  public MessageWriter u32(int type, int value) {
    return open(type, 4).field32(value);
  }

  public MessageWriter u64(int type, long value) {
    return open(type, 8).field64(value);
  }

  public MessageWriter be16(int type, int value) {
    return open(type, 2).fieldBe16(value).align();
  }

  public MessageWriter be32(int type, int value) {
    return open(type, 4).fieldBe32(value);
  }

  public MessageWriter be64(int type, long value) {
    return open(type, 8).fieldBe32((int) (value >>> 32)).fieldBe32((int) value);
  }

  /** A zero-terminated string. */
  public MessageWriter text(int type, String value) {
    byte[] bytes = value.getBytes(UTF_8);
    return open(type, bytes.length + 1).fieldBytes(bytes).field8(0).align();
  }

  public MessageWriter bytes(int type, byte... value) {
    return open(type, value.length).fieldBytes(value).align();
  }

  /** An attribute whose presence is its value. */
  public MessageWriter flag(int type) {
    return open(type, 0);
  }

  /** An attribute that contains attributes, marked as such with NLA_F_NESTED. */
  public MessageWriter nest(int type, Runnable content) {
    return structure(type | NESTED, content);
  }

  /**
   * An attribute whose content is a fixed structure, perhaps followed by attributes; the type is
   * written unchanged.
   */
  public MessageWriter structure(int type, Runnable content) {
    int start = end;
    open(type, 0);
    content.run();
    int length = end - start;
    if (length > 0xffff) {
      throw new IllegalArgumentException(
          "a netlink attribute holds at most 65535 bytes, not " + length);
    }
    put16(start, length);
    return align();
  }

  private MessageWriter open(int type, int length) {
    return field16(4 + length).field16(type);
  }

  private MessageWriter align() {
    int over = end & 3;
    return over == 0 ? this : zeros(4 - over);
  }

  private int advance(int count) {
    int at = end;
    end += count;
    if (end > bytes.length) {
      grow();
    }
    return at;
  }

  private void grow() {
    if (end > MAX) {
      throw new IllegalArgumentException(
          "a netlink batch of more than " + MAX + " bytes: split it");
    }
    bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length * 2));
  }

  private void put16(int at, int value) {
    bytes[at] = (byte) (LITTLE ? value : value >>> 8);
    bytes[at + 1] = (byte) (LITTLE ? value >>> 8 : value);
  }

  private void put32(int at, int value) {
    put16(at, LITTLE ? value : value >>> 16);
    put16(at + 2, LITTLE ? value >>> 16 : value);
  }
}
