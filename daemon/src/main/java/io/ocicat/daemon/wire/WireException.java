package io.ocicat.daemon.wire;

/** Bytes that are not a valid frame, or a frame of an unsupported version or size. */
public final class WireException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WireException(String message) {
    super(message);
  }
}
