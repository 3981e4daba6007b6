package io.ocicat.daemon.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.net.httpserver.HttpServer;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.TraceContext;
import io.ocicat.daemon.metrics.BuildInfo;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Cause;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.daemon.trace.Phase;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Loopback;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class OtlpExportTest {
  private static final BuildInfo BUILD = new BuildInfo("1.2.3", "abc");
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String CALLER = "00f067aa0ba902b7";

  @Test
  void aCallIsASpanBelowTheCallersAndItsStepsAreBelowIt() throws IOException {
    List<String> received = new CopyOnWriteArrayList<>();
    HttpServer collector = collector(received);
    try (OtlpExport export = OtlpExport.start(url(collector), BUILD)) {
      export.finished(call(1), trace("00-" + TRACE + "-" + CALLER + "-01"));
      Eventually.await("the collector to get it", () -> export.sent() == 1);
    } finally {
      collector.stop(0);
    }

    JsonNode document = CniJson.parse(received.getFirst());
    assertThat(document.at("/resourceSpans/0/resource/attributes/0/value/stringValue").asString())
        .isEqualTo("ocicatd");
    JsonNode spans = document.at("/resourceSpans/0/scopeSpans/0/spans");
    JsonNode call = spans.path(0);
    assertThat(call.path("traceId").asString()).isEqualTo(TRACE);
    assertThat(call.path("parentSpanId").asString()).isEqualTo(CALLER);
    assertThat(call.path("name").asString()).isEqualTo("bridge ADD");
    assertThat(call.path("startTimeUnixNano").asString()).isEqualTo("1000000000000001000");
    assertThat(call.path("endTimeUnixNano").asString()).isEqualTo("1000000000000002000");
    assertThat(call.at("/status/code").asInt()).isEqualTo(2);
    assertThat(call.at("/status/message").asString()).isEqualTo("it broke");
    assertThat(spans.path(1).path("name").asString()).isEqualTo("ipam");
    assertThat(spans.path(1).path("parentSpanId").asString())
        .isEqualTo(call.path("spanId").asString());
    assertThat(spans.path(1).path("startTimeUnixNano").asString()).isEqualTo("1000000000000001100");
  }

  @Test
  void withoutACallersTraceItIsOneOfItsOwnAndUnsampledOnesAreLeftOut() throws IOException {
    List<String> received = new CopyOnWriteArrayList<>();
    HttpServer collector = collector(received);
    try (OtlpExport export = OtlpExport.start(url(collector), BUILD)) {
      export.finished(call(0), trace("00-" + TRACE + "-" + CALLER + "-00"));
      export.finished(call(0), trace("garbage"));
      Eventually.await("the collector to get it", () -> export.sent() == 1);
    } finally {
      collector.stop(0);
    }

    JsonNode call = CniJson.parse(received.getFirst()).at("/resourceSpans/0/scopeSpans/0/spans/0");
    assertThat(received).hasSize(1);
    assertThat(call.path("traceId").asString()).matches("[0-9a-f]{32}").isNotEqualTo(TRACE);
    assertThat(call.has("parentSpanId")).isFalse();
  }

  @Test
  void aCollectorThatIsAwayCostsCallsNothing() {
    URI nowhere = URI.create("http://127.0.0.1:" + Loopback.freePort());
    try (OtlpExport export = OtlpExport.start(nowhere, BUILD)) {
      for (int i = 0; i < 10; i++) {
        export.finished(call(0), trace(""));
      }
      Eventually.await("all to be dropped", () -> export.dropped() == 10);
      assertThat(export.sent()).isZero();
    }
  }

  @Test
  void aCollectorThatDoesNotAnswerFillsTheQueueAndNoMore() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        OtlpExport export =
            OtlpExport.start(URI.create("http://127.0.0.1:" + silent.getLocalPort()), BUILD)) {
      for (int i = 0; i < 1000; i++) {
        export.finished(call(0), trace(""));
      }
      // 512 wait, at most 64 are being sent.
      assertThat(export.dropped()).isGreaterThanOrEqualTo(1000 - 512 - 64);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:4318", "ftp://x", "http:///x", "http://h/?a=b", "x"})
  void anInvalidCollectorAddressIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OtlpExport.start(URI.create(text), BUILD).close())
        .withMessageContaining(text);
  }

  private static HttpServer collector(List<String> received) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/v1/traces",
        exchange -> {
          received.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static URI url(HttpServer server) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
  }

  private static CallTrace trace(String traceParent) {
    CallTrace trace = new CallTrace(0, TraceContext.parse(traceParent, "", ""));
    trace.add(Phase.IPAM, () -> "host-local ADD", 100, 300);
    return trace;
  }

  private static FinishedCall call(int exitCode) {
    return new FinishedCall(
        1,
        Instant.ofEpochSecond(1_000_000_000, 2000),
        "bridge",
        "ADD",
        "blue",
        "c1",
        "eth0",
        "",
        exitCode,
        exitCode == 0 ? 0 : 999,
        exitCode == 0 ? "" : "it broke",
        exitCode == 0 ? Cause.NONE : Cause.OTHER,
        TRACE,
        0,
        1000,
        List.of());
  }
}
