package io.ocicat.plugins.calico;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedCalicoTest extends CalicoContract implements ContainerScenarios {
  @TempDir Path state;

  @SuppressWarnings("NullAway.Init") // by open
  private Store store;

  @Override
  public Store store() {
    return store;
  }

  @BeforeEach
  @Override
  void reset() {
    store = Store.embedded(state);
    super.reset();
  }

  @AfterEach
  void close() {
    store.close();
  }
}
