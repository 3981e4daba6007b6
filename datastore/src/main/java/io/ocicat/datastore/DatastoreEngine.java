package io.ocicat.datastore;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.InvalidException;
import java.util.Optional;

/**
 * An implementation of a datastore. Engines are found as services on the class path, so that the
 * heavy ones are modules of their own; creating one must load next to nothing.
 */
public interface DatastoreEngine {
  /**
   * Opens the datastore that a configuration describes, if it is for this engine. Servers are not
   * connected to before the first request.
   *
   * @throws InvalidException when the configuration cannot work
   */
  Optional<Datastore> open(DatastoreConfig config);

  /**
   * Like {@link #open}, for an interactive command: fails at once when the connection is refused,
   * instead of retrying.
   */
  default Optional<Datastore> openForCommand(DatastoreConfig config) {
    return open(config);
  }
}
