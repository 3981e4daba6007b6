package io.ocicat.plugins.calico;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.testkit.Loopback;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The command-line options of the executable. */
class CalicoOptionsTest {
  @TempDir Path state;

  private static PluginReply run(Store store, String... flags) {
    ObjectNode config = store.members();
    config.put("name", "net1").put("type", "calico").putObject("ipam").put("type", "host-local");
    return new CalicoOptions(store.datastores(), store.environment())
        .run(List.of(flags), "1.2.3", new ByteArrayInputStream(config.toString().getBytes(UTF_8)));
  }

  @Test
  void theVersionIsPrinted() {
    try (Store store = Store.embedded(state)) {
      PluginReply reply = run(store, "-v");

      assertThat(reply.exitCode()).isZero();
      assertThat(new String(reply.stdout(), UTF_8)).isEqualTo("1.2.3\n");
    }
  }

  @Test
  void aGoodDatastoreIsSilent() {
    try (Store store = Store.embedded(state)) {
      PluginReply reply = run(store, "-t");

      assertThat(reply.exitCode()).isZero();
      assertThat(reply.stdout()).isEmpty();
      store.ready(false);
      assertThat(run(store, "-t").exitCode()).isEqualTo(1);
    }
  }

  @Test
  void aBadOneIsToldWithinTwoSeconds() {
    try (Store store = Store.etcd("http://127.0.0.1:" + Loopback.freePort())) {
      PluginReply reply = run(store, "-t");

      JsonNode error = CniJson.parse(new String(reply.stdout(), UTF_8));
      assertThat(reply.exitCode()).isEqualTo(1);
      assertThat(error.path("code").asInt()).isEqualTo(100);
      assertThat(error.path("msg").asString()).isEqualTo("data store connection failed");
      assertThat(error.path("details").asString()).isNotEmpty();
    }
  }

  @Test
  void anythingElseIsExplained() {
    try (Store store = Store.embedded(state)) {
      PluginReply reply = run(store, "-i");

      assertThat(reply.exitCode()).isEqualTo(2);
      assertThat(reply.stderr()).contains("usage: calico -v");
    }
  }
}
