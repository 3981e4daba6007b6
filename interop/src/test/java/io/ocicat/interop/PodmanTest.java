package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Podman with our plugins, as its users know it with the originals: it makes networks, publishes
 * ports, stops and starts containers, and afterwards there is nothing left of them.
 */
@Hosts
class PodmanTest {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final String NO_ANSWER = "no answer";

  private Path home;
  private Podman podman;

  /** Whose plugins podman is given. */
  enum Whose {
    GO,
    OURS
  }

  @BeforeEach
  void start(Host host, Host world, @TempDir Path directory) throws IOException {
    host.exec("sysctl", "-qw", "net.ipv6.conf.default.accept_dad=0");
    host.connect(world, "192.0.2.1/24", "192.0.2.2/24");
    home = directory;
    podman = Podman.start(host, directory);
  }

  @AfterEach
  void stop() throws IOException {
    podman.close();
  }

  @ParameterizedTest
  @EnumSource
  void containersComeAndGoAndLeaveNothing(Whose whose, Host host, Host world) throws IOException {
    podman.use(plugins(whose));
    liveAndDie();
    Footprint before = Footprint.of(host, podman);

    String web = podman.run("--name web --publish 8080:80", "httpd", "-f", "-h", "/www");
    assertThatAllReachTheWeb(host, world);
    assertThat(page(() -> podman.tryExec("web", "wget", "-qO-", "http://192.0.2.1:8080/")))
        .as("through the host, from itself")
        .isEqualTo("hello");
    // The world knows no way to the container: the host must have lent its address.
    podman.exec("web", "ping", "-c1", "-W2", "192.0.2.2");

    podman.podman(
        "network", "create", "--ipv6", "--subnet", "10.77.0.0/24", "--subnet", "fd77::/64", "blue");
    podman.run(
        "--name a --network blue --ip 10.77.0.10 --ip6 fd77::10", "httpd", "-f", "-h", "/www");
    podman.run("--name b --network blue", "sleep", "1000");
    assertThat(page(() -> podman.tryExec("b", "wget", "-qO-", "http://10.77.0.10/")))
        .isEqualTo("hello");
    assertThat(page(() -> podman.tryExec("b", "wget", "-qO-", "http://[fd77::10]/")))
        .isEqualTo("hello");
    podman.exec("b", "ping", "-c1", "-W2", "192.0.2.2");

    podman.podman("stop", "--time", "0", "web");
    assertThat(fetch(world, "192.0.2.1")).isEqualTo(NO_ANSWER);
    podman.podman("start", "web");
    assertThatAllReachTheWeb(host, world);
    podman.podman("restart", "--time", "0", "web");
    assertThatAllReachTheWeb(host, world);

    assertThat(Footprint.of(host, podman)).isNotEqualTo(before);
    podman.podman("rm", "--force", "--time", "0", "web", "a", "b");
    podman.podman("network", "rm", "blue");
    assertThat(Footprint.of(host, podman)).isEqualTo(before);
    assertThat(before.toString()).doesNotContain(web, "10.88.0.2", "veth");
    assertThat(before.leases()).isEmpty();
    assertThat(before.cached()).isEmpty();
    assertThat(before.namespaces()).isEmpty();
  }

  /** As on a host whose plugins are replaced while containers run. */
  @ParameterizedTest
  @CsvSource({"GO, OURS", "OURS, GO"})
  void eitherStopsWhatTheOtherStarted(Whose first, Whose second, Host host, Host world)
      throws IOException {
    for (Whose whose : Whose.values()) {
      podman.use(plugins(whose));
      liveAndDie();
    }
    Footprint before = Footprint.of(host, podman);
    podman.use(plugins(first));
    podman.run("--name web --publish 8080:80", "httpd", "-f", "-h", "/www");
    assertThatAllReachTheWeb(host, world);

    podman.use(plugins(second));
    podman.podman("restart", "--time", "0", "web");
    assertThatAllReachTheWeb(host, world);
    podman.use(plugins(Whose.OURS));
    podman.podman("rm", "--force", "--time", "0", "web");

    assertThat(Footprint.of(host, podman)).isEqualTo(before);
  }

  /** What stays for the next container is there afterwards: bridges, tables and chains. */
  private void liveAndDie() {
    podman.podman(
        "network", "create", "--ipv6", "--subnet", "10.77.0.0/24", "--subnet", "fd77::/64", "blue");
    podman.run("--rm --publish 8080:80 --network podman,blue", "ip", "address");
    Eventually.await("the end", SOON, () -> podman.podman("ps", "-aq").stdout().isBlank());
    podman.podman("network", "rm", "blue");
  }

  private static void assertThatAllReachTheWeb(Host host, Host world) {
    Eventually.passes(
        SOON,
        () -> {
          assertThat(fetch(host, "127.0.0.1")).as("from the host, to itself").isEqualTo("hello");
          assertThat(fetch(host, "192.0.2.1")).as("from the host").isEqualTo("hello");
          assertThat(fetch(world, "192.0.2.1")).as("from outside").isEqualTo("hello");
        });
  }

  private static String fetch(Host from, String address) {
    return page(
        () -> from.tryExec("busybox", "wget", "-qO-", "http://%s:8080/".formatted(address)));
  }

  private static String page(Supplier<Output> request) {
    Output output = request.get();
    return output.succeeded() ? output.stdout().strip() : NO_ANSWER;
  }

  private Path plugins(Whose whose) throws IOException {
    return switch (whose) {
      case GO -> PluginDirectory.GO;
      case OURS -> PluginDirectory.ours(home);
    };
  }
}
