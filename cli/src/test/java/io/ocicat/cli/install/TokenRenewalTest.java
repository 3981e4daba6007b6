package io.ocicat.cli.install;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The token is renewed for as long as it takes, whatever the API server does meanwhile. */
class TokenRenewalTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final int DROPPED = 0;

  @TempDir private Path root;
  private final Deque<Integer> answers = new ArrayDeque<>();
  private final List<Duration> waits = new ArrayList<>();
  private final List<String> log = new ArrayList<>();
  private HttpServer server;
  private ServiceAccount account;
  private Path kubeconfig;
  private int served;

  @BeforeEach
  void start() throws IOException {
    kubeconfig = root.resolve("calico-kubeconfig");
    Machine.file(root.resolve("account/token"), "pods-own", "rw-------");
    Machine.file(root.resolve("account/namespace"), "kube-system", "rw-------");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::serve);
    server.start();
    account =
        new ServiceAccount(
            Map.of(
                "KUBERNETES_SERVICE_PROTOCOL", "http",
                "KUBERNETES_SERVICE_HOST", "127.0.0.1",
                "KUBERNETES_SERVICE_PORT", String.valueOf(server.getAddress().getPort())),
            root.resolve("account"));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      int code = answers.isEmpty() ? 201 : answers.poll();
      if (code == DROPPED) {
        return;
      }
      byte[] answer =
          (code == 200
                  ? "{}"
                  : "{\"status\":{\"token\":\"token-%d\",\"expirationTimestamp\":\"2030-01-02T00:00:00Z\"}}"
                      .formatted(++served))
              .getBytes(UTF_8);
      exchange.sendResponseHeaders(code, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  /** Ends after so many waits. */
  private void run(ServiceAccount.Token present, int turns) throws InterruptedException {
    TokenRenewal renewal =
        new TokenRenewal(
            account::request,
            token -> write(token),
            log::add,
            Clock.fixed(NOW, ZoneOffset.UTC),
            time -> {
              waits.add(time);
              if (waits.size() > turns) {
                throw new InterruptedException();
              }
            });
    Thread thread = Thread.ofPlatform().start(() -> renewal.run(present));
    thread.join(Duration.ofSeconds(60));
    assertThat(thread.isAlive()).isFalse();
  }

  private void write(ServiceAccount.Token token) {
    InstallItem item = InstallItem.text(account.kubeconfig(token), "rw-------", kubeconfig);
    item.stage();
    item.appear();
  }

  @Test
  void afterAQuarterOfItsLifeTheNextOneIsThere() throws Exception {
    run(new ServiceAccount.Token("first", NOW.plus(Duration.ofHours(8))), 2);

    assertThat(waits)
        .containsExactly(Duration.ofHours(2), Duration.ofHours(6), Duration.ofHours(6));
    assertThat(Files.readString(kubeconfig)).contains("token: \"token-2\"");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kubeconfig)))
        .isEqualTo("rw-------");
    assertThat(log)
        .hasSize(2)
        .allMatch(line -> line.equals("renewed the token: it ends at 2030-01-02T00:00:00Z"));
  }

  @Test
  void anApiServerThatFailsForAWhileIsAskedAgainAndTheLastGoodTokenStays() throws Exception {
    ServiceAccount.Token present = new ServiceAccount.Token("good", NOW.plus(Duration.ofHours(8)));
    write(present);
    answers.addAll(List.of(503, DROPPED, 401, 200, 500, 500));

    run(present, 6);

    assertThat(waits.stream().skip(1).map(Duration::toSeconds))
        .as("longer each time, but never too long")
        .containsExactly(5L, 10L, 20L, 40L, 60L, 60L);
    assertThat(Files.readString(kubeconfig)).contains("token: \"good\"");
    assertThat(log)
        .hasSize(6)
        .allMatch(line -> line.startsWith("the token was not renewed: "))
        .allMatch(line -> line.contains("until 2030-01-01T08:00:00Z, stays; next attempt in "));
    assertThat(log.get(0)).contains("answers 503");
    assertThat(log.get(3)).contains("has no token");

    waits.clear();
    log.clear();
    answers.add(503);
    run(present, 2);
    assertThat(log.get(1)).startsWith("renewed the token");
    assertThat(Files.readString(kubeconfig)).contains("token: \"token-");
    assertThat(waits).endsWith(Duration.ofHours(6));
  }

  @Test
  void aTokenThatIsOverIsRenewedSoonButNotWithoutPause() throws Exception {
    run(new ServiceAccount.Token("over", NOW.minus(Duration.ofHours(1))), 1);

    assertThat(waits.getFirst()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void withoutAServiceAccountNothingIsInstalled() throws IOException {
    Machine machine = new Machine(root.resolve("machine"));

    assertThat(machine.install("--renew")).isEqualTo(1);

    assertThat(machine.err.toString()).contains("--renew needs --calico");
    assertThat(machine.bin).doesNotExist();
  }
}
