package io.ocicat.datastore.embedded;

import io.ocicat.datastore.contract.NodeCidrsContract;
import io.ocicat.datastore.kv.KeyValueStore;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedNodeCidrsTest extends NodeCidrsContract {
  @TempDir Path directory;

  @Override
  protected void prepare() {}

  @Override
  protected KeyValueStore open() {
    return EmbeddedStore.open(directory);
  }

  @Override
  protected void restart() {}

  @Override
  protected void compact(long revision) {
    try (EmbeddedStore store = EmbeddedStore.open(directory)) {
      store.compact(revision);
    }
  }
}
