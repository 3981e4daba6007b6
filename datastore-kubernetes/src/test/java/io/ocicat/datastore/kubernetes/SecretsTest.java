package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.cluster.ClusterSecrets;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.json.StoredJson;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Secrets in the Kubernetes API. */
class SecretsTest {
  private final ApiServer server = new ApiServer();
  private final KubernetesDatastore datastore = Opening.open(server);
  private final ClusterSecrets secrets = datastore.cluster().secrets().orElseThrow();

  @BeforeEach
  void createNamespace() {
    server.createNamespace("calico-system");
  }

  @AfterEach
  void close() {
    datastore.close();
    server.close();
  }

  private void put(String data) {
    server.put(
        "secrets",
        "calico-system/bgp",
        StoredJson.parseObject(
            """
            {"apiVersion":"v1","kind":"Secret","metadata":{"name":"bgp","namespace":"calico-system"},
             "data":%s}\
            """
                .formatted(data)));
  }

  @Test
  void entriesAreDecoded() {
    assertThat(secrets.secret("calico-system", "bgp")).isEmpty();
    put("{\"tor\":\"czNjcmV0\",\"empty\":\"\"}");
    assertThat(secrets.secret("calico-system", "bgp").orElseThrow())
        .containsEntry("tor", "s3cret")
        .containsEntry("empty", "");
  }

  @Test
  void anEntryThatIsNotBase64IsNamedWithoutItsContent() {
    put("{\"tor\":\"***\"}");
    assertThatThrownBy(() -> secrets.secret("calico-system", "bgp"))
        .isInstanceOf(CorruptException.class)
        .hasMessage("secret calico-system/bgp has an entry that is not base64");
  }
}
