package io.ocicat.plugins.calicoipam;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedCalicoIpamTest extends CalicoIpamContract {
  @TempDir Path files;

  @SuppressWarnings("NullAway.Init") // by reset
  private Cluster cluster;

  @Override
  Cluster cluster() {
    return cluster;
  }

  @BeforeEach
  @Override
  void reset() {
    cluster = Cluster.embedded(files);
    super.reset();
  }

  @AfterEach
  void close() {
    cluster.close();
  }
}
