package io.ocicat.datastore.embedded;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.contract.DatastoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedDatastoreContractTest extends DatastoreContract {
  @TempDir Path directory;

  @Override
  protected void prepare() {}

  @Override
  protected Datastore open() {
    return EmbeddedStore.openDatastore(directory);
  }

  @Override
  protected void restart() {}
}
