package io.ocicat.base.protobuf;

import java.nio.ByteBuffer;
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

  /** How the value of the current field is written. */
  public enum Type {
    VARINT,
    FIXED64,
    LENGTH,
    FIXED32
  }

  public Type type() {
    return switch (wireType) {
      case ProtobufWriter.VARINT -> Type.VARINT;
      case ProtobufWriter.FIXED64 -> Type.FIXED64;
      case ProtobufWriter.LENGTH -> Type.LENGTH;
      case ProtobufWriter.FIXED32 -> Type.FIXED32;
      default -> throw damaged("has member %d with wire type %d".formatted(field, wireType));
    };
  }

  public long number() {
    expect(ProtobufWriter.VARINT);
    return varint();
  }

  public boolean flag() {
    return number() != 0;
  }

  /** Reads the elements of a repeated number that were packed into one field. */
  public static void packed(ByteBuffer field, LongConsumer elements) {
    ProtobufReader in = new ProtobufReader(field);
    while (in.in.hasRemaining()) {
      elements.accept(in.varint());
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
