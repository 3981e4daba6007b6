package io.ocicat.agent.startup;

import static java.util.Objects.requireNonNull;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class EmbeddedNodeStartupTest extends NodeStartupSuite {
  private @Nullable Datastore datastore;

  @BeforeEach
  void open() {
    datastore = Datastores.openOwn(config());
  }

  @AfterEach
  void close() {
    datastore().close();
  }

  @Override
  DatastoreConfig config() {
    return new DatastoreConfig.Embedded(folder.resolve("store"));
  }

  @Override
  Datastore datastore() {
    return requireNonNull(datastore);
  }

  @Override
  void join(String node) {}
}
