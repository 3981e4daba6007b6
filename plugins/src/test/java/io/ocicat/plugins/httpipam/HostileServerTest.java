package io.ocicat.plugins.httpipam;

import static io.ocicat.plugins.httpipam.ScriptedServer.answer;
import static io.ocicat.plugins.httpipam.ScriptedServer.error;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.httpipam.ScriptedServer.Line;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** Whatever the server answers, the plugin returns in time and reports what happened. */
class HostileServerTest {
  private static final String GRANT =
      "{\"id\":\"a-1\",\"addresses\":[{\"address\":\"10.9.0.5/24\"}],\"future\":{}}";

  @Test
  void theLeastThatAServerMustSay() {
    try (ScriptedServer server = new ScriptedServer(answer(201, GRANT))) {
      assertThat(calling(server).ok("ADD").path("ips").toString())
          .isEqualTo("[{\"address\":\"10.9.0.5/24\"}]");
      String request = server.requests().getFirst();
      assertThat(request)
          .startsWith("POST /v1/allocations HTTP/1.1\r\n")
          .contains("Authorization: Bearer " + RunningServer.TOKEN)
          .contains("Accept: application/json")
          .contains("Content-Type: application/json")
          .containsPattern("X-Request-Id: [0-9a-f-]{36}")
          // printf 'mynet\0c1\0eth0' | sha256sum
          .contains(
              "Idempotency-Key: acef3d45f1689ba6f009dbc36bde1b002e4968d1b8622d0e218108f4389012e6");
    }
  }

  @Test
  void aTraceIsPassedOn() {
    String parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    try (ScriptedServer server = new ScriptedServer(answer(204, ""))) {
      calling(server).with("TRACEPARENT", parent).ok("DEL");
      assertThat(server.requests().getFirst()).contains("traceparent: " + parent);
    }
  }

  static Stream<Arguments> statuses() {
    return Stream.of(
        Arguments.of(error(400, "bad_request", false), 999),
        Arguments.of(error(401, "unauthorized", false), 102),
        Arguments.of(error(403, "forbidden", false), 102),
        Arguments.of(error(404, "not_found", false), 999),
        Arguments.of(error(409, "exhausted", true), 101),
        Arguments.of(error(409, "address_in_use", false), 103),
        Arguments.of(error(409, "idempotency_mismatch", false), 999),
        Arguments.of(error(409, "future", false), 999),
        Arguments.of(error(410, "expired", false), 104),
        Arguments.of(error(429, "rate_limited", true), 11),
        Arguments.of(error(500, "internal", false), 999),
        Arguments.of(error(500, "internal", true), 11),
        Arguments.of(error(502, "unavailable", true), 11),
        Arguments.of(error(503, "unavailable", true), 11),
        Arguments.of(error(504, "unavailable", true), 11),
        Arguments.of(answer(500, "<html>Oops</html>"), 999),
        Arguments.of(answer(503, ""), 11),
        Arguments.of(answer(404, ""), 999),
        Arguments.of(answer(418, "[]"), 999));
  }

  @ParameterizedTest
  @MethodSource
  void statuses(Line line, int code) {
    try (ScriptedServer server = new ScriptedServer(line)) {
      CniException error = calling(server).error("ADD");
      assertThat(error.code().value()).isEqualTo(code);
      assertThat(error.msg()).contains(server.url());
    }
  }

  @Test
  void whatIsNotThereIsReleasedAlready() {
    for (Line line :
        List.of(
            answer(204, ""),
            answer(200, "{}"),
            error(404, "not_found", false),
            error(404, "stale", false))) {
      try (ScriptedServer server = new ScriptedServer(line)) {
        calling(server).ok("DEL");
        assertThat(server.requests().getFirst())
            .startsWith("DELETE /v1/allocations/mynet/c1/eth0 HTTP/1.1");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "<html>Please log in</html>",
        "{\"addresses\":",
        "{}",
        "{\"addresses\":[]}",
        "{\"addresses\":{}}",
        "{\"addresses\":[{\"address\":\"10.9.0.5\"}]}",
        "{\"addresses\":[{\"address\":\"10.9.0.5/33\"}]}",
        "{\"addresses\":[{\"address\":7}]}",
        "{\"addresses\":[{\"address\":\"10.9.0.5/24\",\"gateway\":\"fd00::1\"}]}",
        "{\"addresses\":[{\"address\":\"10.9.0.5/24\"}],\"routes\":[{\"dst\":\"x\"}]}",
        "{\"addresses\":[{\"address\":\"10.9.0.5/24\"}],\"dns\":[]}",
        "{\"addresses\":[{\"address\":\"10.9.0.5/24\"}],\"containerId\":\"c2\"}",
        "{\"addresses\":[{\"address\":\"10.9.0.5/24\"}],\"network\":\"other\"}",
        "{\"addresses\":[{\"address\":\"10.9.0.5/24\"}],\"ifName\":\"eth1\"}"
      })
  void whatCannotBeUnderstoodIsGivenBack(String body) {
    try (ScriptedServer server = new ScriptedServer(answer(201, body), answer(204, ""))) {
      CniException error = calling(server).error("ADD");
      assertThat(error.code()).isEqualTo(ErrorCode.INTERNAL);
      assertThat(error.msg())
          .startsWith(
              "the IPAM server answered POST %s/v1/allocations with status 201 and "
                  .formatted(server.url()));
      assertThat(server.requests()).hasSize(2);
      assertThat(server.requests().get(1)).startsWith("DELETE /v1/allocations/mynet/c1/eth0");
    }
  }

  @Test
  void twoAddressesOfAFamilyAreTooManyForOldVersions() {
    String two = "{\"addresses\":[{\"address\":\"10.9.0.5/24\"},{\"address\":\"10.9.0.6/24\"}]}";
    try (ScriptedServer server = new ScriptedServer(answer(201, two), answer(204, ""))) {
      ObjectNode config = config(server).put("cniVersion", "0.2.0");
      assertThat(Calling.of(config, "c1").error("ADD").msg())
          .isEqualTo("CNI version 0.2.0 does not support more than 1 address per family");
      assertThat(server.requests().get(1)).startsWith("DELETE ");
      assertThat(calling(server).error("ADD").msg()).as("204 is no grant").contains("status 204");
    }
    try (ScriptedServer server = new ScriptedServer(answer(201, two))) {
      assertThat(calling(server).ok("ADD").path("ips")).hasSize(2);
    }
  }

  @Test
  void anAnswerWithoutEndIsCutOff() {
    Line endless =
        out -> {
          out.write("HTTP/1.1 201 X\r\nConnection: close\r\n\r\n".getBytes(ISO_8859_1));
          byte[] piece = new byte[64 << 10];
          for (int i = 0; i < 1000; i++) {
            out.write(piece);
          }
        };
    try (ScriptedServer server = new ScriptedServer(endless, answer(204, ""))) {
      assertThat(calling(server).error("ADD").msg()).contains("more than 1048576 bytes");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP/1.1 201 X\r\nContent-Length: 500\r\n\r\n{\"addr"})
  void aServerThatFallsAsleepIsNotWaitedFor(String beginning) {
    Line asleep =
        out -> {
          out.write(beginning.getBytes(ISO_8859_1));
          out.flush();
          sleep();
        };
    try (ScriptedServer server = new ScriptedServer(asleep)) {
      ObjectNode config = config(server);
      ((ObjectNode) config.get("ipam")).put("timeoutMs", 300).put("retries", 0);
      CniException error = Calling.of(config, "c1").error("ADD");
      assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
      assertThat(error.msg()).endsWith("no answer within 300 ms");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 abc X\r\n\r\n",
        "HTTP/1.1 201 X\r\nContent-Length: -5\r\n\r\n",
        "HTTP/1.1 201 X\r\nContent-Length: 500\r\n\r\n{\"addr"
      })
  void aServerThatHangsUpIsToBeTriedAgainLater(String words) {
    Line mumbling = out -> out.write(words.getBytes(ISO_8859_1));
    try (ScriptedServer server = new ScriptedServer(mumbling)) {
      CniException error = calling(server).error("ADD");
      assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
      assertThat(error.msg())
          .startsWith("cannot reach the IPAM server %s: ".formatted(server.url()))
          .doesNotContain("null");
    }
  }

  @Test
  void theTokenGoesNowhereElse() {
    try (ScriptedServer thief = new ScriptedServer(answer(201, GRANT));
        ScriptedServer server =
            new ScriptedServer(answer(302, "", "Location: " + thief.url() + "/v1/allocations"))) {
      CniException error = calling(server).error("ADD");
      assertThat(error.msg())
          .contains("a redirect to \"%s/v1/allocations\"".formatted(thief.url()))
          .contains("ipam.serverURL");
      assertThat(thief.requests()).isEmpty();
    }
  }

  /** {@link Calling} itself looks for the token in all output. */
  @Test
  void theTokenThatAServerRepeatsIsNotRepeated() {
    String echo = "you sent Authorization: Bearer " + RunningServer.TOKEN;
    String escaped = echo.replace("e463", "\\u0065463");
    for (Line line :
        List.of(
            answer(400, echo),
            answer(
                401, "{\"error\":{\"code\":\"unauthorized\",\"message\":\"%s\"}}".formatted(echo)),
            answer(503, "{\"error\":{\"message\":\"%s\"}}".formatted(escaped)),
            answer(302, "", "Location: http://10.0.0.1/?token=" + RunningServer.TOKEN),
            answer(200, echo),
            answer(200, "{\"addresses\":[{\"address\":\"%s\"}]}".formatted(escaped)))) {
      try (ScriptedServer server = new ScriptedServer(line, answer(204, ""))) {
        assertThat(calling(server).error("ADD").msg()).contains("<token>");
      }
    }
  }

  @Test
  void aServerInTroubleIsAskedAgainWithTheSameKey() {
    try (ScriptedServer server =
        new ScriptedServer(
            error(503, "unavailable", true),
            OutputStream::close,
            answer(429, "", "Retry-After: 0"),
            answer(200, GRANT))) {
      ObjectNode config = config(server);
      ((ObjectNode) config.get("ipam")).put("retries", 3);
      Calling.of(config, "c1").ok("ADD");
      assertThat(server.requests())
          .hasSize(4)
          .extracting(HostileServerTest::key)
          .containsOnly(key(server.requests().getFirst()));
    }
  }

  @Test
  void aServerThatAsksForTooMuchPatienceIsToBeTriedAgainLater() {
    try (ScriptedServer server = new ScriptedServer(answer(429, "", "Retry-After: 3600"))) {
      CniException error = calling(server).error("ADD");
      assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
      assertThat(server.requests()).hasSize(1);
      assertThat(calling(server).within(Duration.ofDays(999_999)).error("ADD").code())
          .as("nor does a caller without a deadline wait that long")
          .isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    }
  }

  @Test
  void aServerThatHangsUpDuringTheHandshakeIsToBeTriedAgainLater() {
    try (ScriptedServer server = new ScriptedServer(OutputStream::close)) {
      ObjectNode config = config(server);
      ((ObjectNode) config.get("ipam")).put("serverURL", server.url().replace("http:", "https:"));
      assertThat(Calling.of(config, "c1").error("ADD").code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    }
  }

  @Test
  void whatTheServerSaysIsOneLine() {
    try (ScriptedServer server =
        new ScriptedServer(
            answer(
                400,
                "{\"error\":{\"code\":\"bad_request\",\"message\":\"a\\u001b[31m\\r\\nb%s\"}}"
                    .formatted("x".repeat(10_000))))) {
      String message = calling(server).error("ADD").msg();
      assertThat(message).hasSizeLessThan(800).contains("a [31m  bxxx").doesNotContain("\n");
    }
  }

  @Test
  void aNameWithoutAnAddressIsNamed() {
    ObjectNode config = Json.object().put("cniVersion", "1.1.0").put("name", "mynet");
    config
        .putObject("ipam")
        .put("type", "ipam")
        .put("serverURL", "http://no-such-host.invalid:8090")
        .put("token", RunningServer.TOKEN)
        .put("retries", 0);
    CniException error = Calling.of(config, "c1").error("ADD");
    assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(error.msg()).endsWith("the name no-such-host.invalid has no address");
  }

  private static String key(String request) {
    return request
        .lines()
        .filter(line -> line.startsWith("Idempotency-Key: "))
        .findFirst()
        .orElseThrow();
  }

  private static Calling calling(ScriptedServer server) {
    return Calling.of(config(server), "c1");
  }

  private static ObjectNode config(ScriptedServer server) {
    ObjectNode config = Json.object().put("cniVersion", "1.1.0").put("name", "mynet");
    config
        .putObject("ipam")
        .put("type", "ipam")
        .put("serverURL", server.url())
        .put("token", RunningServer.TOKEN)
        .put("retries", 0);
    return config;
  }

  private static void sleep() {
    try {
      Thread.sleep(3000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
