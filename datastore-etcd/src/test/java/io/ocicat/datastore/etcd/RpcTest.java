package io.ocicat.datastore.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.KnownLength;
import io.ocicat.base.protobuf.ProtobufWriter;
import io.ocicat.datastore.kv.KeyValue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Responses as gRPC delivers them. */
class RpcTest {
  private static final KeyValue VALUE = new KeyValue("/a", "v".repeat(100_000), 5, 6, 7);

  private static byte[] range() {
    return new ProtobufWriter()
        .message(
            2,
            entry ->
                entry
                    .text(1, VALUE.key())
                    .number(2, VALUE.created())
                    .number(3, VALUE.modified())
                    .text(5, VALUE.value())
                    .number(6, VALUE.lease()))
        .toBytes();
  }

  private static final class Whole extends ByteArrayInputStream implements KnownLength {
    Whole(byte[] message) {
      super(message);
    }
  }

  @Test
  void anAnswerAsItCameIsReadInOnePiece() {
    assertThat(Rpc.RANGE.parseResponse(new Whole(range())).values()).containsExactly(VALUE);
  }

  /** Such a stream has more than what is available at once. */
  @Test
  void anAnswerThatCameCompressedIsReadToItsEnd() throws IOException {
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
      out.write(range());
    }
    try (InputStream answer =
        new GZIPInputStream(new ByteArrayInputStream(compressed.toByteArray()))) {
      assertThat(Rpc.RANGE.parseResponse(answer).values()).containsExactly(VALUE);
    }
  }
}
