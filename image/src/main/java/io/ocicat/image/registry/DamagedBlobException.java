package io.ocicat.image.registry;

import java.io.IOException;

/** A server sent something other than what was asked for: another one may have the right thing. */
final class DamagedBlobException extends IOException {
  private static final long serialVersionUID = 1;

  DamagedBlobException(String message) {
    super(message);
  }
}
