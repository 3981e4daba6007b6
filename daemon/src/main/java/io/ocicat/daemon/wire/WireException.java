package io.ocicat.daemon.wire;

/** Bytes that are no frame, or no frame of a version or size that is understood. */
public final class WireException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WireException(String message) {
    super(message);
  }
}
