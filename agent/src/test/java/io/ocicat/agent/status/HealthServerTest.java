package io.ocicat.agent.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.testkit.Loopback;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ports and paths as Felix has them. */
class HealthServerTest {
  private static final AgentStatus READY =
      new AgentStatus("node1", true, List.of(), List.of(), "", 3, 1, 6, 2, 2, 9, 1450, 41);

  private final List<String> log = new ArrayList<>();
  private volatile AgentStatus status = AgentStatus.starting("node1");
  private final HealthServer server = new HealthServer(() -> status, log::add);
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void stop() {
    server.close();
    client.close();
  }

  private static AgentConfig config(Map<String, String> environment) {
    return EffectiveConfig.of(
            new ConfigSources(environment, "", List.of(), "node1", Map.of()), null)
        .config();
  }

  private void health(int port) {
    server.configure(
        config(Map.of("FELIX_HEALTHENABLED", "true", "FELIX_HEALTHPORT", Integer.toString(port))));
  }

  private HttpResponse<String> get(int port, String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path))).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private void assertClosed(int port) {
    assertThatThrownBy(() -> get(port, "/liveness")).isInstanceOf(ConnectException.class);
  }

  @Test
  void anAgentThatIsNotReadySaysWhy() throws Exception {
    int port = Loopback.freePort();
    health(port);
    status = status.with(List.of("pool p overlaps eth0"), "flannel has no lease");

    assertThat(get(port, "/liveness").statusCode()).isEqualTo(200);
    HttpResponse<String> readiness = get(port, "/readiness");
    assertThat(readiness.statusCode()).isEqualTo(503);
    assertThat(readiness.body())
        .isEqualTo("not ready\nflannel has no lease\npool p overlaps eth0\n");
  }

  @Test
  void anAgentThatIsReadyMayHaveProblems() throws Exception {
    int port = Loopback.freePort();
    health(port);
    status = READY.with(List.of("pool p overlaps eth0"), "");

    HttpResponse<String> readiness = get(port, "/readiness");
    assertThat(readiness.statusCode()).isEqualTo(200);
    assertThat(readiness.body()).isEqualTo("ready\npool p overlaps eth0\n");
    assertThat(get(port, "/metrics").statusCode()).as("another port's").isEqualTo(404);
  }

  @Test
  void theServerMovesWithItsConfiguration() throws Exception {
    int first = Loopback.freePort();
    health(first);
    assertThat(get(first, "/liveness").statusCode()).isEqualTo(200);
    int second = Loopback.freePort();
    health(second);
    assertThat(get(second, "/liveness").statusCode()).isEqualTo(200);
    assertClosed(first);
    server.configure(config(Map.of()));
    assertClosed(second);
    assertThat(log).isEmpty();
  }

  @Test
  void aPortThatIsTakenIsReportedOnce() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      health(other.getLocalPort());
      health(other.getLocalPort());
      assertThat(log)
          .containsExactly(
              "cannot listen at localhost port %d: Address already in use"
                  .formatted(other.getLocalPort()));
    }
  }

  @Test
  void metricsHaveAPortOfTheirOwn() throws Exception {
    int port = Loopback.freePort();
    status = READY;
    server.configure(
        config(
            Map.of(
                "FELIX_PROMETHEUSMETRICSENABLED", "true",
                "FELIX_PROMETHEUSMETRICSHOST", "127.0.0.1",
                "FELIX_PROMETHEUSMETRICSPORT", Integer.toString(port))));

    assertThat(get(port, "/metrics").body().lines().filter(line -> !line.startsWith("#")))
        .containsExactly(
            "ocicat_agent_ready 1",
            "ocicat_agent_problems 0",
            "ocicat_agent_nodes 3",
            "ocicat_agent_blocks 6",
            "ocicat_agent_endpoints 2",
            "ocicat_agent_ready_endpoints 2",
            "ocicat_agent_routes 9",
            "ocicat_agent_kernel_writes_total 41");
    assertThat(get(port, "/readiness").statusCode()).isEqualTo(404);
  }
}
