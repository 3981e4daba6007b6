package io.ocicat.datastore.etcd;

import io.ocicat.base.protobuf.ProtobufReader;
import io.ocicat.datastore.kv.KeyValue;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A key-value entry of etcd.
 *
 * @param value null when the key is not text: such keys are not ours, and cannot be requested
 */
record EtcdEntry(ByteBuffer key, @Nullable KeyValue value) {

  static EtcdEntry read(ProtobufReader in) {
    ByteBuffer key = ByteBuffer.allocate(0);
    String value = "";
    long created = 0;
    long modified = 0;
    long lease = 0;
    while (in.next()) {
      switch (in.field()) {
        case 1 -> key = in.bytes();
        case 2 -> created = in.number();
        case 3 -> modified = in.number();
        case 5 -> value = in.text();
        case 6 -> lease = in.number();
        default -> {}
      }
    }
    String text = text(key);
    return new EtcdEntry(
        key, text == null ? null : new KeyValue(text, value, created, modified, lease));
  }

  private static @Nullable String text(ByteBuffer key) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(key.duplicate()).toString();
    } catch (CharacterCodingException _) {
      return null;
    }
  }
}
