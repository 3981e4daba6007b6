package io.ocicat.daemon.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.cni.CniJson;
import io.ocicat.daemon.liveness.CniFolders;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.NamespaceId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A DEL made from a record uses the datastore's present address (review K19), with its credentials.
 */
class ConfigurationInForceTest {
  private static final String RECORDED =
      """
      {"cniVersion":"1.0.0","name":"pods","type":"calico","etcd_endpoints":"http://old:2379",
       "policy":{"type":"k8s"},"nodename":"a",
       "ipam":{"type":"host-local","dataDir":"/leases"},"prevResult":{"ips":[]}}
      """;

  @TempDir Path folder;

  private JsonNode request() {
    CallRecord record =
        new CallRecord(
            new BootId(new UUID(1, 2)),
            1,
            NamespaceId.NONE,
            NamespaceId.NONE,
            "calico",
            Map.of(),
            RECORDED.getBytes(StandardCharsets.UTF_8),
            new byte[0]);
    return CniJson.parse(
        new ConfigurationInForce(new CniFolders(folder, folder), PluginExecutables.none()::named)
            .requestOf(record));
  }

  private void configure(String network) throws IOException {
    Files.writeString(
        folder.resolve("10.conflist"),
        """
        {"cniVersion":"1.0.0","name":"%s","plugins":[{"type":"calico","datastore_type":"kubernetes",
         "policy":{"type":"k8s","k8s_auth_token":"t"},"nodename":"b",
         "ipam":{"type":"host-local","dataDir":"/elsewhere"}},{"type":"portmap"}]}
        """
            .formatted(network));
  }

  @Test
  void theDatastoreIsThatOfTheNetworksFileAndAllElseAsRecorded() throws IOException {
    configure("pods");
    JsonNode request = request();
    assertThat(request.path("datastore_type").asString()).isEqualTo("kubernetes");
    assertThat(request.has("etcd_endpoints")).isFalse();
    assertThat(request.at("/policy/k8s_auth_token").asString()).isEqualTo("t");
    assertThat(request.at("/ipam/dataDir").asString()).isEqualTo("/leases");
    assertThat(request.path("nodename").asString()).isEqualTo("a");
    assertThat(request.has("prevResult")).isTrue();
  }

  @Test
  void aNetworkWithoutAFileIsAsRecorded() throws IOException {
    configure("others");
    assertThat(request()).isEqualTo(CniJson.parse(RECORDED.getBytes(StandardCharsets.UTF_8)));
  }
}
