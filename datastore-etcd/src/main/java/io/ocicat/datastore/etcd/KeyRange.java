package io.ocicat.datastore.etcd;

import io.ocicat.base.protobuf.ProtobufWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A range of keys, as in etcd's requests.
 *
 * @param from the first key
 * @param end the first key after the range; empty for {@code from} alone, a zero byte for no end
 */
record KeyRange(ByteBuffer from, ByteBuffer end) {
  private static final byte[] ZERO = {0};

  static KeyRange one(String key) {
    return new KeyRange(utf8(key), ByteBuffer.allocate(0));
  }

  /** All keys that start with {@code prefix}. */
  static KeyRange prefix(String prefix) {
    return prefix.isEmpty()
        ? new KeyRange(ByteBuffer.wrap(ZERO), ByteBuffer.wrap(ZERO))
        : new KeyRange(utf8(prefix), ByteBuffer.wrap(prefixEnd(utf8(prefix).array())));
  }

  /** The part of this range after {@code last}. */
  KeyRange after(ByteBuffer last) {
    // Its smallest successor is itself with a zero byte.
    ByteBuffer next = ByteBuffer.allocate(last.remaining() + 1).put(last.duplicate());
    return new KeyRange(next.rewind(), end);
  }

  KeyRange after(String last) {
    return after(utf8(last));
  }

  /** UTF-8 has no byte 0xff, so the last one can always be raised. */
  private static byte[] prefixEnd(byte[] prefix) {
    byte[] end = Arrays.copyOf(prefix, prefix.length);
    end[end.length - 1]++;
    return end;
  }

  private static ByteBuffer utf8(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  void write(ProtobufWriter out) {
    out.bytes(1, from).bytes(2, end);
  }
}
