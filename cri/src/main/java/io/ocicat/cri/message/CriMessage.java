package io.ocicat.cri.message;

/**
 * A message of {@code runtime.v1}. Absent messages are null, absent texts, lists and numbers are
 * empty or zero, as proto3 has it. What is of Windows is left out and ignored, like any unknown
 * field.
 */
public interface CriMessage {
  void write(FieldWriter out);

  default byte[] toBytes() {
    FieldWriter out = new FieldWriter();
    write(out);
    return out.toBytes();
  }
}
