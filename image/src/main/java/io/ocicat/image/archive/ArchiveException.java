package io.ocicat.image.archive;

import java.io.IOException;

/** An archive is damaged, hostile or of a kind that is not supported; says where and why. */
public final class ArchiveException extends IOException {
  private static final long serialVersionUID = 1;

  public ArchiveException(String message) {
    super(message);
  }

  public ArchiveException(String message, Throwable cause) {
    super(message, cause);
  }
}
