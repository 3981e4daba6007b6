package io.ocicat.cli.inspect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ocicat.cli.LiveDaemon;
import io.ocicat.cni.CniJson;
import io.ocicat.daemon.LogFormat;
import io.ocicat.daemon.info.InfoClient;
import io.ocicat.daemon.info.InfoException;
import io.ocicat.daemon.info.MetricsPort;
import io.ocicat.netlink.linux.Received;
import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixListener;
import io.ocicat.netlink.linux.UnixSocket;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What the daemon reports, and how it treats bad clients. */
@Hosts
class InfoSocketTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @TempDir private Path directory;
  private LiveDaemon daemon;

  @BeforeEach
  void aDaemon() {
    daemon = LiveDaemon.start(directory, new LogFormat.JsonObjects(Clock.systemUTC()));
  }

  @AfterEach
  void itStops() {
    daemon.close();
  }

  @Test
  void onlyTheOwnerMayAsk() throws IOException {
    assertThat(Files.getPosixFilePermissions(socket()))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void curlIsAClient(Host host, Host pod) throws Exception {
    daemon.call("ADD", "c1", host, pod, daemon.network("10.77.0.0/24"));
    Process curl =
        new ProcessBuilder(
                "curl",
                "-sS",
                "--max-time",
                "10",
                "--unix-socket",
                socket().toString(),
                "http://x/attachments")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String printed = new String(curl.getInputStream().readAllBytes(), UTF_8);

    assertThat(curl.waitFor(20, TimeUnit.SECONDS)).isTrue();
    JsonNode attachment = CniJson.parse(printed).path("attachments").path(0);
    assertThat(attachment.path("container").asString()).isEqualTo("c1");
    assertThat(attachment.path("network").asString()).isEqualTo("blue");
    assertThat(attachment.path("addresses").path(0).asString()).isEqualTo("10.77.0.2/24");
    assertThat(attachment.path("netnsIsThere").asBoolean()).isTrue();
    assertThat(printed).doesNotContain("ipam");
  }

  @Test
  void metricsCountWhatHappened(Host host, Host pod) {
    String network = daemon.network("10.77.0.0/24");
    daemon.call("ADD", "c1", host, pod, network);
    daemon.call("ADD", "c2", host, pod, "{\"cniVersion\":\"9.9.9\",\"name\":\"x\"}");

    String metrics = ask("/metrics");

    assertThat(metrics.lines())
        .contains(
            "# TYPE ocicat_cni_request_duration_seconds histogram",
            "ocicat_cni_request_duration_seconds_count"
                + "{plugin=\"bridge\",verb=\"ADD\",outcome=\"ok\"} 1",
            "ocicat_cni_request_duration_seconds_bucket"
                + "{plugin=\"bridge\",verb=\"ADD\",outcome=\"ok\",le=\"120\"} 1",
            "ocicat_cni_phase_duration_seconds_count{verb=\"ADD\",phase=\"ipam\"} 1",
            "ocicat_cni_failures_total{plugin=\"bridge\",verb=\"ADD\",cause=\"config\"} 1",
            "ocicat_attachments 1",
            "ocicat_spool_depth 0",
            "ocicat_calls_in_flight 0",
            "ocicat_ready 1",
            "ocicat_tombstone_hits_total 0")
        .anyMatch(
            line -> line.startsWith("ocicat_build_info{version=\"1.2.3\",commit=\"abc\",jdk=\"25"))
        .allMatch(line -> line.matches("# (HELP|TYPE) \\w+ .+|\\w+(\\{[^{}]+\\})? -?[0-9.]+"));
    assertThat(metrics).doesNotContain("c1");
  }

  @Test
  void aCallerWhoIsSentAwayIsCountedByTheReason() {
    try (UnixSocket bad = UnixSocket.connect(daemon.folders().socket(), SocketType.STREAM, LIMIT)) {
      bad.send(new byte[100], LIMIT);
      assertThat(bad.receive(1000, 0, LIMIT)).isPresent();
    }
    assertThat(ask("/metrics").lines()).contains("ocicat_declined_total{reason=\"frame\"} 1");
  }

  @Test
  void statusShowsTheStage() {
    JsonNode status = new InfoClient(socket()).askJson("/status");

    assertThat(status.path("stage").asString()).isEqualTo("serving");
    assertThat(status.path("version").asString()).isEqualTo("1.2.3");
    assertThat(status.path("pid").asLong()).isEqualTo(ProcessHandle.current().pid());
    assertThat(status.path("residentBytes").asLong()).isPositive();
  }

  @Test
  void theLogIsOneJsonObjectALine(Host host, Host pod) {
    daemon.call("ADD", "c1", host, pod, daemon.network("10.77.0.0/24"));
    daemon.call("ADD", "c\n2", host, pod, "{");

    assertThat(daemon.log())
        .allMatch(line -> CniJson.parse(line).isObject() && !line.contains("\n"));
    JsonNode call =
        daemon.log().stream()
            .map(CniJson::parse)
            .filter(line -> line.path("event").asString().equals("call"))
            .findFirst()
            .orElseThrow();
    assertThat(call.path("container").asString()).isEqualTo("c1");
    assertThat(call.path("network").asString()).isEqualTo("blue");
    assertThat(call.path("level").asString()).isEqualTo("info");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET /nothing HTTP/1.1     | 404",
        "POST /status HTTP/1.1     | 405",
        "GET /calls?last=x HTTP/1.1| 400",
        "GET /calls?last=0 HTTP/1.1| 400",
        "GET /calls?a=%zz HTTP/1.1 | 400",
        "hello                     | 400",
        "GET /status               | 400",
      })
  void badRequestsAreRefusedWithAReason(String line, int status) {
    assertThat(send((line.strip() + "\r\n\r\n").getBytes(UTF_8)))
        .startsWith("HTTP/1.1 " + status + " ");
  }

  @Test
  void garbageAndEndlessRequestsDoNoHarm() {
    assertThat(send(new byte[] {0, 1, 2, '\n', '\n'})).startsWith("HTTP/1.1 400 ");
    assertThat(send("x".repeat(9000).getBytes(UTF_8))).startsWith("HTTP/1.1 431 ");
    try (UnixSocket silent = UnixSocket.connect(socket(), SocketType.STREAM, LIMIT);
        UnixSocket slow = UnixSocket.connect(socket(), SocketType.STREAM, LIMIT)) {
      slow.send("GET /st".getBytes(UTF_8), LIMIT);
      assertThat(receive(slow)).startsWith("HTTP/1.1 408 ");
      assertThat(receive(silent)).startsWith("HTTP/1.1 408 ");
    }
    assertThat(ask("/status")).contains("serving");
  }

  @Test
  void thePortServesOnlyMetrics() throws IOException {
    try (MetricsPort port = MetricsPort.start(0, daemon.info())) {
      assertThat(overPort(port, "/metrics")).startsWith("HTTP/1.1 200 ").contains("ocicat_ready 1");
      assertThat(overPort(port, "/calls")).startsWith("HTTP/1.1 404 ");
    }
  }

  /** Review R6. */
  @Test
  void portClientsThatNeitherSendNorReadBlockNobody() throws IOException {
    List<Socket> idle = new ArrayList<>();
    try (MetricsPort port = MetricsPort.start(0, daemon.info())) {
      for (int i = 0; i < 100; i++) {
        Socket client = new Socket();
        client.setReceiveBufferSize(1);
        client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.port()));
        idle.add(client);
        if (i % 2 == 0) {
          client.getOutputStream().write("GET /metrics HTTP/1.1\r\n\r\n".getBytes(UTF_8));
        }
      }
      assertThat(overPort(port, "/metrics")).startsWith("HTTP/1.1 200 ").contains("ocicat_ready 1");
    } finally {
      for (Socket client : idle) {
        client.close();
      }
    }
  }

  @Test
  void anotherServerIsNotMistakenForADaemon() {
    Path path = directory.resolve("other.sock");
    try (UnixListener other = UnixListener.bind(path, SocketType.STREAM, 0600)) {
      Thread.ofPlatform()
          .start(
              () -> {
                try (UnixSocket client = other.accept(LIMIT).orElseThrow()) {
                  client.receive(1000, 0, LIMIT);
                  client.send("220 mail\r\n".getBytes(UTF_8), LIMIT);
                }
              });
      assertThatExceptionOfType(InfoException.class)
          .isThrownBy(() -> new InfoClient(path).ask("/status"))
          .withMessageContaining("is not ocicatd");
    }
  }

  private Path socket() {
    return daemon.folders().infoSocket();
  }

  private String ask(String target) {
    return new InfoClient(socket()).ask(target);
  }

  private String send(byte[] bytes) {
    try (UnixSocket client = UnixSocket.connect(socket(), SocketType.STREAM, LIMIT)) {
      client.send(bytes, LIMIT);
      return receive(client);
    }
  }

  private static String receive(UnixSocket client) {
    StringBuilder whole = new StringBuilder();
    for (Optional<Received> part = client.receive(4096, 0, LIMIT);
        part.isPresent();
        part = client.receive(4096, 0, LIMIT)) {
      whole.append(new String(part.get().bytes(), UTF_8));
    }
    return whole.toString();
  }

  private static String overPort(MetricsPort port, String path) throws IOException {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port.port())) {
      client.setSoTimeout((int) LIMIT.toMillis());
      client.getOutputStream().write("GET %s HTTP/1.1\r\n\r\n".formatted(path).getBytes(UTF_8));
      return new String(client.getInputStream().readAllBytes(), UTF_8);
    }
  }
}
