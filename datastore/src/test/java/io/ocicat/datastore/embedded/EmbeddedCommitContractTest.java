package io.ocicat.datastore.embedded;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.contract.DatastoreCommitContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedCommitContractTest extends DatastoreCommitContract {
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
