package io.ocicat.ipamserver;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ipamserver.TestServer.Got;
import io.ocicat.testkit.Seeded;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever is sent, the server responds sensibly or closes the connection, and serves the next one.
 */
class HostileRequestTest {
  @TempDir private static Path directory;
  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        new TestServer(
            directory,
            "{\"pools\":[{\"name\":\"mynet\",\"ranges\":[{\"subnet\":\"10.9.0.0/16\"}]}]}");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void stillServes() {
    assertThat(server.get("/v1/health").status()).isEqualTo(200);
    assertThat(server.log()).noneMatch(line -> line.contains(TestServer.TOKEN));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Basic dXNlcjpwYXNz",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        "Bearer e463937d15576af58ae7a7040807c018 e463937d15576af58ae7a7040807c018",
        "Bearer E463937D15576AF58AE7A7040807C018"
      })
  void withoutTheTokenNobodyLearnsAnything(String credentials) {
    for (String path : List.of("/v1/health", "/v1/allocations", "/v1/nothing", "/", "/v2/x")) {
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path));
      if (!credentials.isEmpty()) {
        request.header("Authorization", credentials);
      }
      Got got = server.send(request);
      assertThat(got.status()).as(path).isEqualTo(401);
      assertThat(got.error()).isEqualTo("unauthorized");
      assertThat(got.response().headers().firstValue("WWW-Authenticate")).contains("Bearer");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET    | /                                   | 404",
        "GET    | /v1                                 | 404",
        "GET    | /v1/                                | 404",
        "GET    | /v1/nothing                         | 404",
        "GET    | /v1/allocations/a/b                 | 404",
        "GET    | /v1/allocations/a/b/c/d             | 404",
        "GET    | /v1//allocations                    | 404",
        "GET    | /v1/allocations/..%2F..%2Fetc/c1/eth0 | 400",
        "GET    | /v1/allocations/mynet//eth0         | 400",
        "GET    | /v1/allocations/mynet/c1/           | 400",
        "GET    | /v1/allocations/mynet/c%00/eth0     | 400",
        "GET    | /v1/allocations/mynet/c1/sixteencharacter | 400",
        "DELETE | /v1/allocations/my%20net/c1/eth0    | 400",
        "DELETE | /v1/allocations/mynet/c1/eth0?allocationId=x | 400",
        "DELETE | /v1/allocations/mynet/c1/eth0?allocationId=a--1 | 400",
        "DELETE | /v1/allocations/mynet/c1/eth0?force=1 | 400",
        "GET    | /v1/allocations?limit=0             | 400",
        "GET    | /v1/allocations?limit=1001          | 400",
        "GET    | /v1/allocations?limit=-5            | 400",
        "GET    | /v1/allocations?limit=99999999999   | 400",
        "GET    | /v1/allocations?limit=1&limit=2     | 400",
        "GET    | /v1/allocations?cursor=zzz          | 400",
        "GET    | /v1/allocations?cursor=a-99999999999999999999 | 400",
        "GET    | /v1/allocations?sort=ip             | 400",
        "GET    | /v1/allocations?network=%27%20OR%201=1-- | 200",
        "GET    | /v1/gc                              | 405",
        "POST   | /v1/health                          | 405",
        "PUT    | /v1/allocations                     | 405",
        "PATCH  | /v1/allocations/mynet/c1/eth0       | 405",
        "DELETE | /v1/allocations/a-1/renew           | 405",
        "TRACE  | /v1/health                          | 405",
        "POST   | /v1/allocations                     | 415",
      })
  void whatIsNotOfTheProtocolIsRefused(String method, String path, int status) {
    Got got = server.send(server.request(path).method(method, BodyPublishers.noBody()));
    assertThat(got.status()).as(got.message()).isEqualTo(status);
    if (status >= 400) {
      assertThat(got.message()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "7",
        "\"text\"",
        "{",
        "{\"network\":\"mynet\"} trailing",
        "{\"network\":\"a\",\"network\":\"b\"}",
        "{\"network\":{\"network\":{}}}",
        "\ufeff{}",
        "{'network':'mynet'}",
        "{\"leaseSeconds\":1e400}",
        "{\"leaseSeconds\":99999999999999999999999999}",
        "{\"network\":\"\\ud800\",\"containerId\":\"c\",\"ifName\":\"e\"}"
      })
  void aBodyThatMakesNoSenseIsRefused(String body) {
    for (String path : List.of("/v1/allocations", "/v1/gc", "/v1/allocations/a-1/renew")) {
      assertThat(server.post(path, body).status()).as(path).isEqualTo(400);
    }
  }

  @Test
  void deepOrLargeBodiesAreNotSwallowed() {
    assertThat(server.post("/v1/allocations", "[".repeat(5000)).status()).isEqualTo(400);
    assertThat(server.post("/v1/allocations", "{\"a\":\"" + "x".repeat(70_000)).status())
        .isEqualTo(413);
    assertThat(server.post("/v1/gc", "x".repeat((4 << 20) + 1)).status()).isEqualTo(413);
    Got form =
        server.send(
            server
                .request("/v1/allocations")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("{}")));
    assertThat(form.status()).isEqualTo(415);
    assertThat(form.message())
        .isEqualTo("the body must be application/json, not \"application/x-www-form-urlencoded\"");
  }

  @Test
  void theRequestIdComesBackUnlessItIsForged() {
    Got got = server.send(server.request("/v1/health").header("X-Request-Id", "abc-1.2_3").GET());
    assertThat(got.response().headers().firstValue("X-Request-Id")).contains("abc-1.2_3");
    got = server.send(server.request("/v1/health").header("X-Request-Id", "a b <script>").GET());
    assertThat(got.response().headers().firstValue("X-Request-Id").orElseThrow())
        .matches("[0-9a-f-]{36}");
    assertThat(server.log()).noneMatch(line -> line.contains("<script>"));
  }

  @Test
  void randomBytesAreAnsweredOrHungUpOn() {
    Seeded.forAll(
        40,
        random -> {
          byte[] bytes = new byte[random.nextInt(2000)];
          random.nextBytes(bytes);
          try (Socket socket = connect()) {
            if (random.nextBoolean()) {
              send(socket, "POST /v1/allocations HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n");
            }
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
          } catch (IOException _) {
            // The server closed the connection while we were still sending.
          }
        });
  }

  /** The limit is shorter here than it is by default. */
  @Test
  void whoeverDawdlesIsHungUpOn() throws IOException {
    try (Socket head = connect();
        Socket body = connect()) {
      send(head, "GET /v1/health HTTP/1.1\r\nHost: x\r\n");
      send(
          body,
          "POST /v1/allocations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
                  .formatted(TestServer.TOKEN)
              + "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{");
      assertThat(ends(head)).isTrue();
      assertThat(ends(body)).isTrue();
    }
  }

  /** Waits for the end of the stream; a socket that stays open times out. */
  private static boolean ends(Socket socket) throws IOException {
    socket.setSoTimeout((int) Duration.ofSeconds(15).toMillis());
    try {
      while (socket.getInputStream().read() >= 0) {
        // An answer before the end is fine, too.
      }
      return true;
    } catch (SocketTimeoutException _) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** Review R13. */
  @Test
  void idleConnectionsShutNobodyOut() throws IOException {
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i < 1_100; i++) {
        idle.add(connect());
      }
      assertThat(server.get("/v1/health").status()).isEqualTo(200);
    } finally {
      for (Socket one : idle) {
        one.close();
      }
    }
  }

  private static Socket connect() throws IOException {
    return new Socket(server.address().getAddress(), server.address().getPort());
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    socket.getOutputStream().flush();
  }
}
