package io.ocicat.datastore;

/**
 * Is told of every request that a piece of code makes to the server of a datastore: {@code
 * ScopedValue.where(RequestListener.CURRENT, listener).run(code)}. What the code asks {@link
 * Prefetch} is told when the code waits for the answer, on its own thread.
 */
@FunctionalInterface
public interface RequestListener {
  ScopedValue<RequestListener> CURRENT = ScopedValue.newInstance();

  /** Told at the end of a request; must be quick. */
  void answered(DatastoreRequest request);

  /** Tells of a request if somebody wants to know. */
  static void tell(DatastoreRequest request) {
    if (CURRENT.isBound()) {
      CURRENT.get().answered(request);
    }
  }
}
