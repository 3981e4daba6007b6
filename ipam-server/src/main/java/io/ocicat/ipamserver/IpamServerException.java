package io.ocicat.ipamserver;

import org.jspecify.annotations.Nullable;

/** The root of this module's exceptions. */
public class IpamServerException extends RuntimeException {
  private static final long serialVersionUID = 1;

  IpamServerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  IpamServerException(String message) {
    this(message, null);
  }
}
