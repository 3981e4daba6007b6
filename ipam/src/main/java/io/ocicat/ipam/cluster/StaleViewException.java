package io.ocicat.ipam.cluster;

/**
 * Signals that something a request relies on has changed, so that it must take a new snapshot.
 * Never leaves this module.
 */
public final class StaleViewException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StaleViewException(String message) {
    super(message, null, false, false);
  }
}
