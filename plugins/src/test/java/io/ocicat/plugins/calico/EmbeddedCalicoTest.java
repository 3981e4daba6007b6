package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Host;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

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

  /** What a user writes who has nothing but a pool: no agent, no file, no node. */
  @Test
  void aPlainConfigurationAndAPoolAreEnough(Host host, Host pod) {
    store.remove(ResourceKey.of(Kind.NODE, PodApi.NODE));
    store.remove(ResourceKey.of(Kind.CLUSTER_INFORMATION, "default"));
    store.pool("blue", "10.65.0.0/26", true);
    CalicoNode node = node(host);
    ObjectNode config = node.pooled(Families.V4);
    config.remove(List.of("policy", "nodename_file_optional"));
    config.put("nodename_file", state.resolve("missing").toString());
    Calling eth0 = node.call(config, pod);

    eth0.status().ok();
    JsonNode result = eth0.add().ok();
    eth0.previous(result).check().ok();

    assertThat(store.get(Kind.NODE, "", PodApi.NODE)).isPresent();
    assertThat(store.endpoints()).hasSize(1);
    assertThat(store.assigned()).hasSize(1);
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
    assertThat(store.assigned()).isEmpty();
  }
}
