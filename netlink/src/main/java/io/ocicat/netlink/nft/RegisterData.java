package io.ocicat.netlink.nft;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.util.Optional;

/** Reads and writes the content of a register as an attribute: bytes, or a verdict. */
final class RegisterData {
  private static final int VALUE = 1;
  private static final int VERDICT = 2;

  private RegisterData() {}

  static void write(MessageWriter out, int type, Bytes value) {
    out.nest(type, () -> out.bytes(VALUE, value.toByteArray()));
  }

  static void write(MessageWriter out, int type, Verdict verdict) {
    out.nest(type, () -> out.nest(VERDICT, () -> verdict.write(out)));
  }

  /** Empty when there are none. */
  static Bytes readBytes(Attributes attributes, int type) {
    return attributes.nested(type).bytes(VALUE).map(Bytes::of).orElse(Bytes.of());
  }

  static Optional<Verdict> readVerdict(Attributes attributes, int type) {
    Attributes data = attributes.nested(type);
    return data.has(VERDICT) ? Verdict.read(data.nested(VERDICT)) : Optional.empty();
  }
}
