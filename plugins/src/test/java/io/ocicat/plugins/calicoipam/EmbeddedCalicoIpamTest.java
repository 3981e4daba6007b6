package io.ocicat.plugins.calicoipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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

  @Test
  void aNodeThatNobodyHasRegisteredRegistersItself() {
    cluster.removeNode();
    cluster.pool("blue", "10.65.0.0/26");
    cluster.net("").status().ok();

    cluster.net("").container("a").add().ok();
    cluster.net("").container("b").add().ok();

    assertThat(cluster.addresses()).hasSize(2);
    assertThat(cluster.datastore().list(ResourceQuery.of(Kind.NODE)).items())
        .singleElement()
        .satisfies(node -> assertThat(node.key().name()).isEqualTo(Cluster.NODE));
  }
}
