package io.ocicat.datastore;

import io.ocicat.datastore.config.DatastoreConfig;
import java.util.Optional;

/**
 * A way to keep resources. Engines are found as services on the class path, so that the heavy ones
 * are modules of their own; making one must load next to nothing.
 */
public interface DatastoreEngine {
  /**
   * Opens the datastore that a configuration describes, if it is one for this engine. Servers are
   * not connected to before somebody asks something.
   *
   * @throws InvalidException when the configuration cannot work
   */
  Optional<Datastore> open(DatastoreConfig config);

  /**
   * The same for a command, for which somebody waits: where nobody listens it fails at once,
   * instead of trying again until somebody does.
   */
  default Optional<Datastore> openForCommand(DatastoreConfig config) {
    return open(config);
  }
}
