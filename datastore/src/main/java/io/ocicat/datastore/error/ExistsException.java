package io.ocicat.datastore.error;

/** There is an object of this name already. */
public final class ExistsException extends DatastoreException {
  private static final long serialVersionUID = 1L;

  public ExistsException(String message) {
    super(message, null);
  }
}
