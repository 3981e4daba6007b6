package io.ocicat.ipam.cluster;

/** What a request relied on is no longer so: look again. Never leaves this package. */
public final class StaleViewException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StaleViewException(String message) {
    super(message, null, false, false);
  }
}
