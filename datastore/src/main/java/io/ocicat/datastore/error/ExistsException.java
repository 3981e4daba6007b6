package io.ocicat.datastore.error;

/** An object of this name already exists. */
public final class ExistsException extends DatastoreException {
  private static final long serialVersionUID = 1L;

  public ExistsException(String message) {
    super(message, null);
  }
}
