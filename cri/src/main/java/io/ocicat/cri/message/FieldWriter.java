package io.ocicat.cri.message;

import io.ocicat.base.protobuf.ProtobufWriter;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the fields of a message: {@link ProtobufWriter} with the shapes that CRI uses. */
public final class FieldWriter {
  private final ProtobufWriter out;

  FieldWriter() {
    this(new ProtobufWriter());
  }

  private FieldWriter(ProtobufWriter out) {
    this.out = out;
  }

  FieldWriter number(int field, long value) {
    out.number(field, value);
    return this;
  }

  FieldWriter numbers(int field, Collection<Long> values) {
    out.numbers(field, values);
    return this;
  }

  FieldWriter flag(int field, boolean value) {
    out.flag(field, value);
    return this;
  }

  FieldWriter text(int field, String value) {
    out.text(field, value);
    return this;
  }

  FieldWriter texts(int field, Collection<String> values) {
    out.texts(field, values);
    return this;
  }

  FieldWriter bytes(int field, ByteBuffer value) {
    out.bytes(field, value);
    return this;
  }

  @SuppressWarnings("EnumOrdinal") // the constants stand in the order of their numbers
  FieldWriter choice(int field, Enum<?> value) {
    out.number(field, value.ordinal());
    return this;
  }

  /** Int64Value and UInt64Value: a number that may be absent. */
  FieldWriter wrapped(int field, @Nullable Long value) {
    if (value != null) {
      out.message(field, wrapper -> wrapper.number(1, value));
    }
    return this;
  }

  FieldWriter map(int field, Map<String, String> pairs) {
    pairs.forEach((key, value) -> out.message(field, pair -> pair.text(1, key).text(2, value)));
    return this;
  }

  FieldWriter message(int field, @Nullable CriMessage message) {
    if (message != null) {
      out.message(field, inner -> message.write(new FieldWriter(inner)));
    }
    return this;
  }

  FieldWriter messages(int field, Collection<? extends CriMessage> messages) {
    messages.forEach(message -> message(field, message));
    return this;
  }

  byte[] toBytes() {
    return out.toBytes();
  }
}
