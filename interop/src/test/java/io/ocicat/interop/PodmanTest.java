package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Podman with our plugins, as its users know it with the originals: it creates networks, publishes
 * ports, stops and starts containers, and nothing is left of them afterwards.
 */
@Hosts
class PodmanTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String NO_ANSWER = "no answer";
  private static final String[] WEB_SERVER = {"httpd", "-f", "-h", "/www"};

  private Path home;
  private Podman podman;
  private @Nullable Background daemon;

  /** The plugins that podman is given. */
  enum Whose {
    GO,
    /** Each call in its own JVM. */
    OURS,
    /** Through the shim, by a daemon. */
    SERVED
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
    if (daemon != null) {
      assertThat(daemon.stderr()).contains("verb=ADD").doesNotContain("declined");
      daemon.close();
    }
    podman.close();
  }

  @ParameterizedTest
  @EnumSource
  void containersComeAndGoAndLeaveNothing(Whose whose, Host host, Host world) throws IOException {
    use(whose);
    oneIsOnTwoNetworks(host);
    Footprint before = Footprint.of(host, podman);

    String web = podman.run("--name web --publish 8080:80", WEB_SERVER);
    assertThatAllReachTheWeb(host, world);
    assertThat(page(() -> podman.tryExec("web", "wget", "-qO-", "http://192.0.2.1:8080/")))
        .as("through the host, from itself")
        .isEqualTo("hello");
    // The world has no route to the container: the host must have masqueraded its address.
    podman.exec("web", "ping", "-c1", "-W10", "192.0.2.2");

    createBlueNetwork();
    podman.run("--name a --network blue --ip 10.77.0.10 --ip6 fd77::10", WEB_SERVER);
    podman.run("--name b --network blue", "sleep", "1000");
    Eventually.passes(
        SOON,
        () -> {
          assertThat(page(() -> podman.tryExec("b", "wget", "-qO-", "http://10.77.0.10/")))
              .isEqualTo("hello");
          assertThat(page(() -> podman.tryExec("b", "wget", "-qO-", "http://[fd77::10]/")))
              .isEqualTo("hello");
        });
    podman.exec("b", "ping", "-c1", "-W10", "192.0.2.2");

    podman.podman("stop", "--time", "0", "web");
    assertThat(fetch(world, "192.0.2.1")).isEqualTo(NO_ANSWER);
    podman.podman("restart", "web");
    assertThatAllReachTheWeb(host, world);

    assertThat(Footprint.of(host, podman)).isNotEqualTo(before);
    podman.remove("web", "a", "b");
    podman.podman("network", "rm", "blue");
    assertThat(Footprint.of(host, podman)).isEqualTo(before);
    assertThat(before.toString()).doesNotContain(web, "10.88.0.2", "veth");
    assertThat(before.leases()).isEmpty();
    assertThat(before.cached()).isEmpty();
    assertThat(before.namespaces()).isEmpty();
  }

  /**
   * Podman asks for the port on each network, and whichever the container leaves, it is still
   * published. What stays for the next container is there afterwards: a bridge, tables and chains.
   */
  private void oneIsOnTwoNetworks(Host host) {
    createBlueNetwork();
    podman.run("--name both --network podman,blue --publish 8080:80", WEB_SERVER);
    assertThatTheHostReachesTheWeb(host);
    podman.podman("network", "disconnect", "podman", "both");
    assertThatTheHostReachesTheWeb(host);
    podman.remove("both");
    podman.podman("network", "rm", "blue");
  }

  /** There and back again, while a container runs. */
  @Test
  void pluginsAreReplacedByOthers(Host host, Host world) throws IOException {
    for (Whose whose : Whose.values()) {
      use(whose);
      podman.run("--name brief --publish 8080:80", "sleep", "1000");
      podman.remove("brief");
    }
    removeOurPorts(host);
    Footprint before = Footprint.of(host, podman);

    use(Whose.GO);
    podman.run("--name web --publish 8080:80", WEB_SERVER);
    assertThatAllReachTheWeb(host, world);
    use(Whose.OURS);
    podman.podman("restart", "--time", "0", "web");
    assertThatAllReachTheWeb(host, world);
    use(Whose.GO);
    removeOurPorts(host);
    podman.podman("restart", "--time", "0", "web");
    assertThatAllReachTheWeb(host, world);
    use(Whose.OURS);
    podman.remove("web");

    assertThat(Footprint.of(host, podman)).isEqualTo(before);
  }

  /** The originals do not know of it: docs/plugins/portmap.md says to do this before. */
  private static void removeOurPorts(Host host) {
    host.exec("nft", "delete", "table", "inet", "ocicat_portmap");
  }

  private void createBlueNetwork() {
    podman.podman(
        "network", "create", "--ipv6", "--subnet", "10.77.0.0/24", "--subnet", "fd77::/64", "blue");
  }

  private static void assertThatAllReachTheWeb(Host host, Host world) {
    assertThatTheHostReachesTheWeb(host);
    Eventually.passes(
        SOON,
        () -> {
          assertThat(fetch(host, "192.0.2.1")).as("from the host").isEqualTo("hello");
          assertThat(fetch(world, "192.0.2.1")).as("from outside").isEqualTo("hello");
        });
  }

  private static void assertThatTheHostReachesTheWeb(Host host) {
    Eventually.passes(
        SOON,
        () ->
            assertThat(fetch(host, "127.0.0.1")).as("from the host, to itself").isEqualTo("hello"));
  }

  private static String fetch(Host from, String address) {
    return page(
        () ->
            from.tryExec(
                "timeout", "10", "busybox", "wget", "-qO-", "http://%s:8080/".formatted(address)));
  }

  private static String page(Supplier<Output> request) {
    Output output = request.get();
    return output.succeeded() ? output.stdout().strip() : NO_ANSWER;
  }

  private void use(Whose whose) throws IOException {
    podman.use(
        switch (whose) {
          case GO -> PluginDirectory.GO;
          case OURS -> PluginDirectory.ours(home);
          case SERVED -> served();
        });
  }

  private Path served() throws IOException {
    Path distribution = home.resolve("distribution");
    if (daemon == null) {
      distribution = PluginDirectory.withShims(home);
      daemon = podman.startDaemon(distribution);
    }
    return distribution.resolve("cni");
  }
}
