package io.ocicat.ipamserver;

/** The database could not be read or written. */
final class StoreException extends IpamServerException {
  private static final long serialVersionUID = 1;

  StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
