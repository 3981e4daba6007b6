package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent does not start where Felix runs. */
@Hosts
class LiveFelixTest {
  @TempDir Path folder;

  private static Optional<String> find(Host host) {
    try (NetNs namespace = NetNs.open(host.path())) {
      return namespace.visit(() -> LiveFelix.find(Map.of(), namespace));
    }
  }

  /** A process with Felix's name. */
  private Background felix(Host host) throws IOException {
    Path program = folder.resolve("calico-node");
    Files.copy(Path.of("/bin/sleep").toRealPath(), program);
    program.toFile().setExecutable(true);
    Background started = host.start(program.toString(), "600");
    Eventually.await(
        "its name",
        () ->
            ProcessHandle.of(started.pid())
                .flatMap(process -> process.info().command())
                .filter(program.toString()::equals)
                .isPresent());
    return started;
  }

  @Test
  void aProcessOfFelixInTheSameNamespaceIsFound(Host host, Host other) throws IOException {
    assertThat(find(host)).isEmpty();
    try (Background felix = felix(host)) {
      assertThat(find(host)).contains("process %d, calico-node".formatted(felix.pid()));
      assertThat(find(other)).as("another node of this machine").isEmpty();
    }
    assertThat(find(host)).isEmpty();
  }

  @Test
  void anAnswerAtTheHealthPortCountsTogetherWithRules(Host host) {
    HttpServer server = serve(host);
    try {
      assertThat(find(host)).as("somebody else's server").isEmpty();
      host.exec("nft", "add", "table", "ip", "calico");
      assertThat(find(host)).contains("it answers at port 9099");
      host.exec("nft", "delete", "table", "ip", "calico");
      host.exec("nft", "add", "table", "ip", "filter");
      host.exec("nft", "add", "chain", "ip", "filter", "cali-FORWARD");
      assertThat(find(host)).as("rules of iptables").contains("it answers at port 9099");
    } finally {
      server.stop(0);
    }
    assertThat(find(host)).as("rules that a stopped Felix left").isEmpty();
  }

  /** Answers as Felix does, in the host's namespace. */
  private static HttpServer serve(Host host) {
    try (NetNs namespace = NetNs.open(host.path())) {
      HttpServer server =
          namespace.visit(
              () -> {
                try {
                  return HttpServer.create(
                      new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 9099), 1);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      server.createContext(
          "/liveness",
          exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
          });
      server.start();
      return server;
    }
  }

  @Test
  void anAgentRefusesToStartBesideItUnlessTold(Host host) throws IOException {
    try (Background felix = felix(host);
        NetNs namespace = NetNs.open(host.path())) {
      assertThatThrownBy(() -> start(namespace, Map.of()))
          .hasMessage(
              "Felix is running on this node (process %d, calico-node), and two agents undo each"
                  + " other's work: stop it first, or set OCICAT_BESIDE_FELIX=true",
              felix.pid());
      start(namespace, Map.of("OCICAT_BESIDE_FELIX", "true"));
    }
  }

  private static void start(NetNs namespace, Map<String, String> environment) {
    namespace.visit(
        () -> {
          LiveFelix.refuse(environment, namespace);
          return namespace;
        });
  }
}
