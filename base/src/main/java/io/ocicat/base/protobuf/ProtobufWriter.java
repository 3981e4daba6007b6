package io.ocicat.base.protobuf;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.function.Consumer;

/**
 * Writes protobuf's wire format. As in proto3 a field with its default value is omitted, except in
 * a oneof, whose fields have methods of their own.
 */
public final class ProtobufWriter {
  static final int VARINT = 0;
  static final int FIXED64 = 1;
  static final int LENGTH = 2;
  static final int FIXED32 = 5;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  public ProtobufWriter number(int field, long value) {
    return value == 0 ? this : chosenNumber(field, value);
  }

  /** A member of a oneof. */
  public ProtobufWriter chosenNumber(int field, long value) {
    tag(field, VARINT);
    varint(value);
    return this;
  }

  public ProtobufWriter flag(int field, boolean value) {
    return number(field, value ? 1 : 0);
  }

  /** A repeated number, packed as proto3 does. */
  public ProtobufWriter numbers(int field, Collection<? extends Number> values) {
    if (values.isEmpty()) {
      return this;
    }
    ProtobufWriter packed = new ProtobufWriter();
    values.forEach(value -> packed.varint(value.longValue()));
    return chosenBytes(field, packed.toBytes());
  }

  /** A repeated text, whose elements may be empty. */
  public ProtobufWriter texts(int field, Collection<String> values) {
    values.forEach(value -> chosenBytes(field, value.getBytes(StandardCharsets.UTF_8)));
    return this;
  }

  public ProtobufWriter text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  public ProtobufWriter bytes(int field, ByteBuffer value) {
    byte[] copy = new byte[value.remaining()];
    value.duplicate().get(copy);
    return bytes(field, copy);
  }

  private ProtobufWriter bytes(int field, byte[] value) {
    return value.length == 0 ? this : chosenBytes(field, value);
  }

  /** A message, written even when it is empty. */
  public ProtobufWriter message(int field, Consumer<ProtobufWriter> content) {
    ProtobufWriter inner = new ProtobufWriter();
    content.accept(inner);
    return chosenBytes(field, inner.toBytes());
  }

  private ProtobufWriter chosenBytes(int field, byte[] value) {
    tag(field, LENGTH);
    varint(value.length);
    out.writeBytes(value);
    return this;
  }

  private void tag(int field, int wireType) {
    varint(((long) field << 3) | wireType);
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  public byte[] toBytes() {
    return out.toByteArray();
  }
}
