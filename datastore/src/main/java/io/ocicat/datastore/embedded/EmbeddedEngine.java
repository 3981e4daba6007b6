package io.ocicat.datastore.embedded;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.DatastoreEngine;
import io.ocicat.datastore.config.DatastoreConfig;
import java.util.Optional;

/** The engine of the embedded datastore: SQLite on this machine. */
public final class EmbeddedEngine implements DatastoreEngine {
  @Override
  public Optional<Datastore> open(DatastoreConfig config) {
    return config instanceof DatastoreConfig.Embedded embedded
        ? Optional.of(EmbeddedStore.openDatastore(embedded.directory()))
        : Optional.empty();
  }
}
