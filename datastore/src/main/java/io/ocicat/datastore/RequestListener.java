package io.ocicat.datastore;

/**
 * Observes every request that a piece of code makes to a datastore's server: {@code
 * ScopedValue.where(RequestListener.CURRENT, listener).run(code)}. Requests made through {@link
 * Prefetch} are reported when the code waits for the result, on its own thread.
 */
@FunctionalInterface
public interface RequestListener {
  ScopedValue<RequestListener> CURRENT = ScopedValue.newInstance();

  /** Called at the end of a request; must be quick. */
  void answered(DatastoreRequest request);

  /** Reports a request to the current listener, if there is one. */
  static void report(DatastoreRequest request) {
    if (CURRENT.isBound()) {
      CURRENT.get().answered(request);
    }
  }
}
