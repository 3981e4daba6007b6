package io.ocicat.ipam;

/** What a request relied on is no longer so: look again. Never leaves this package. */
final class StaleViewException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StaleViewException(String message) {
    super(message, null, false, false);
  }
}
