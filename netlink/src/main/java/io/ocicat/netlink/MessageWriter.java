package io.ocicat.netlink;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.foreign.ValueLayout.OfByte;
import java.lang.foreign.ValueLayout.OfInt;
import java.lang.foreign.ValueLayout.OfLong;
import java.lang.foreign.ValueLayout.OfShort;
import java.nio.ByteOrder;

/**
 * Writes netlink messages into memory the kernel can read. Methods with one argument write a field
 * of a fixed structure; methods with two write an attribute, type first. Numbers are in the
 * machine's order unless the name says {@code be} (big-endian, as nf_tables and everything taken
 * from packet headers want them).
 *
 * <p>Not thread-safe: a writer belongs to the exchange that handed it out.
 */
public final class MessageWriter {
  static final int HEADER = 16;
  private static final int FLAGS = 6;
  private static final int REQUEST = 0x1;
  private static final int ACK = 0x4;
  private static final int NESTED = 0x8000;

  private static final OfByte U8 = ValueLayout.JAVA_BYTE;
  private static final OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED;
  private static final OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final OfShort BE16 = U16.withOrder(ByteOrder.BIG_ENDIAN);
  private static final OfInt BE32 = U32.withOrder(ByteOrder.BIG_ENDIAN);
  private static final OfLong BE64 = U64.withOrder(ByteOrder.BIG_ENDIAN);

  private MemorySegment memory;
  private long end;
  private long lastMessage;

  MessageWriter(MemorySegment memory) {
    this.memory = memory;
  }

  /** Starts again at the beginning of the memory. */
  void reset() {
    end = 0;
  }

  MemorySegment memory() {
    return memory;
  }

  long length() {
    return end;
  }

  void message(Request request, int sequence) {
    lastMessage = end;
    field32(0).field16(request.type()).field16(request.flags() | REQUEST);
    field32(sequence).field32(0);
    request.writeBody(this);
    memory.set(U32, lastMessage, (int) (end - lastMessage));
    align();
  }

  /** Asks the kernel to answer the message written last even when it succeeds. */
  void acknowledgeLast() {
    int flags = memory.get(U16, lastMessage + FLAGS);
    memory.set(U16, lastMessage + FLAGS, (short) (flags | ACK));
  }

  public MessageWriter field8(int value) {
    long at = advance(1);
    memory.set(U8, at, (byte) value);
    return this;
  }

  public MessageWriter field16(int value) {
    long at = advance(2);
    memory.set(U16, at, (short) value);
    return this;
  }

  public MessageWriter field32(int value) {
    long at = advance(4);
    memory.set(U32, at, value);
    return this;
  }

  public MessageWriter field64(long value) {
    long at = advance(8);
    memory.set(U64, at, value);
    return this;
  }

  public MessageWriter fieldBe16(int value) {
    long at = advance(2);
    memory.set(BE16, at, (short) value);
    return this;
  }

  public MessageWriter fieldBe32(int value) {
    long at = advance(4);
    memory.set(BE32, at, value);
    return this;
  }

  public MessageWriter fieldBytes(byte... value) {
    long at = advance(value.length);
    MemorySegment.copy(value, 0, memory, U8, at, value.length);
    return this;
  }

  /** Pads with zeros, as unused fields of a structure must be. */
  public MessageWriter zeros(int count) {
    long at = advance(count);
    memory.asSlice(at, count).fill((byte) 0);
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
    open(type, 8);
    long at = advance(8);
    memory.set(BE64, at, value);
    return this;
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

  /** An attribute made of attributes, marked as such with NLA_F_NESTED. */
  public MessageWriter nest(int type, Runnable content) {
    return structure(type | NESTED, content);
  }

  /**
   * An attribute whose content is a fixed structure, perhaps with attributes behind it; the type is
   * written as it is.
   */
  public MessageWriter structure(int type, Runnable content) {
    long start = end;
    open(type, 0);
    content.run();
    long length = end - start;
    if (length > 0xffff) {
      throw new IllegalArgumentException(
          "a netlink attribute holds at most 65535 bytes, not " + length);
    }
    memory.set(U16, start, (short) length);
    return align();
  }

  private MessageWriter open(int type, int length) {
    return field16(4 + length).field16(type);
  }

  private MessageWriter align() {
    int over = (int) (end & 3);
    return over == 0 ? this : zeros(4 - over);
  }

  private long advance(int count) {
    long at = end;
    end += count;
    if (end > memory.byteSize()) {
      memory = Buffers.grown(memory, end);
    }
    return at;
  }
}
