package io.ocicat.base.protobuf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;

/**
 * Reads protobuf's wire format, field by field: {@link #next}, then {@link #field}, then one of the
 * value methods. A field that is not read is skipped. Malformed data is an
 * IllegalArgumentException.
 */
public final class ProtobufReader {
  private final ByteBuffer in;
  private int field;
  private int wireType;
  private boolean pending;

  public ProtobufReader(ByteBuffer in) {
    this.in = in;
  }

  /** Moves to the next field; false at the end. */
  public boolean next() {
    if (pending) {
      skip();
    }
    if (!in.hasRemaining()) {
      return false;
    }
    long tag = varint();
    field = (int) (tag >>> 3);
    wireType = (int) (tag & 7);
    if (field <= 0) {
      throw damaged("has a member without a number");
    }
    pending = true;
    return true;
  }

  public int field() {
    return field;
  }

  public long number() {
    expect(ProtobufWriter.VARINT);
    return varint();
  }

  public boolean flag() {
    return number() != 0;
  }

  /** A double. */
  public double real() {
    expect(ProtobufWriter.FIXED64);
    return slice(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).getDouble();
  }

  /** The elements of a repeated number, which a writer may pack into one field or not. */
  public void numbers(LongConsumer elements) {
    if (wireType == ProtobufWriter.VARINT) {
      elements.accept(number());
      return;
    }
    ProtobufReader packed = new ProtobufReader(bytes());
    while (packed.in.hasRemaining()) {
      elements.accept(packed.varint());
    }
  }

  /** Shares memory with the message. */
  public ByteBuffer bytes() {
    expect(ProtobufWriter.LENGTH);
    return slice(varint());
  }

  /** Bytes that are not UTF-8 become replacement characters. */
  public String text() {
    return StandardCharsets.UTF_8.decode(bytes()).toString();
  }

  public ProtobufReader message() {
    return new ProtobufReader(bytes());
  }

  private void expect(int wanted) {
    if (wireType != wanted) {
      throw damaged("has member %d with wire type %d".formatted(field, wireType));
    }
    pending = false;
  }

  private void skip() {
    pending = false;
    switch (wireType) {
      case ProtobufWriter.VARINT -> varint();
      case ProtobufWriter.FIXED64 -> slice(Long.BYTES);
      case ProtobufWriter.LENGTH -> slice(varint());
      case ProtobufWriter.FIXED32 -> slice(Integer.BYTES);
      default -> throw damaged("has member %d with wire type %d".formatted(field, wireType));
    }
  }

  private ByteBuffer slice(long length) {
    if (length < 0 || length > in.remaining()) {
      throw damaged("ends inside member " + field);
    }
    ByteBuffer slice = in.slice(in.position(), (int) length);
    in.position(in.position() + (int) length);
    return slice;
  }

  private long varint() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      if (!in.hasRemaining()) {
        throw damaged("ends inside a number");
      }
      byte next = in.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw damaged("has a number of more than 64 bits");
  }

  private static IllegalArgumentException damaged(String how) {
    return new IllegalArgumentException("protobuf message " + how);
  }
}
