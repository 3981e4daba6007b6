package io.ocicat.daemon.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The header that request and reply frames share. */
final class Frames {
  /** "OCI1". */
  static final int MAGIC = 0x3149434f;

  static final short MAJOR = 1;
  static final short MINOR = 0;

  private Frames() {}

  static ByteBuffer allocate(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  static ByteBuffer view(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Everything written so far. */
  static byte[] bytes(ByteBuffer frame) {
    byte[] bytes = new byte[frame.position()];
    frame.flip().get(bytes);
    return bytes;
  }

  static void putStart(ByteBuffer frame) {
    frame.putInt(MAGIC).putShort(MAJOR).putShort(MINOR);
  }

  /** Reads the header of a frame, and checks that this version understands it. */
  static void checkStart(ByteBuffer frame) {
    if (frame.getInt() != MAGIC) {
      throw new WireException("this is not an ocicat frame");
    }
    int major = Short.toUnsignedInt(frame.getShort());
    int minor = Short.toUnsignedInt(frame.getShort());
    if (major != MAJOR) {
      throw new WireException(
          "protocol %d.%d is not supported, only %d".formatted(major, minor, MAJOR));
    }
  }

  static int length(ByteBuffer frame, int most, String what) {
    int length = frame.getInt();
    if (length < 0 || length > most) {
      throw new WireException(
          "%s has %d bytes, at most %d are allowed"
              .formatted(what, Integer.toUnsignedLong(length), most));
    }
    return length;
  }
}
