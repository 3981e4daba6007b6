package io.ocicat.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.cli.LiveDaemon;
import io.ocicat.cli.Shell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.daemon.info.InfoClient;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.netlink.linux.RangeLock;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Hosts
class WhyCommandTest {
  private static final Map<String, String> WEB =
      Map.of("CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web-0");

  @TempDir private Path directory;
  private LiveDaemon daemon;
  private String network;

  @BeforeEach
  void aDaemon() {
    daemon = LiveDaemon.start(directory);
    network = daemon.network("10.77.0.0/24");
  }

  @AfterEach
  void itStops() {
    daemon.close();
  }

  @Test
  void aPodThatIsAttachedIsFine(Host host, Host pod) {
    daemon.call("ADD", "c1", host, pod, network, WEB);

    Printed why = why("web-0");

    assertThat(why.exitCode()).isZero();
    assertThat(why.out())
        .contains("shop/web-0, c1 eth0 on blue: attached")
        .contains("attached by bridge", "10.77.0.2/24")
        .doesNotContain("next:");
  }

  @Test
  void anExhaustedPoolIsNamedWithTheWayOut(Host host, Host pod, Host other) {
    // One gateway and one address.
    String tiny = daemon.network("10.77.0.0/30");
    daemon.call("ADD", "c1", host, pod, tiny);
    assertThat(daemon.call("ADD", "c2", host, other, tiny, WEB).exitCode()).isNotZero();
    daemon.call("DEL", "c2", host, other, tiny, WEB);

    Printed why = why("shop/web-0");

    assertThat(why.exitCode()).isEqualTo(1);
    assertThat(why.out())
        .contains("c2 eth0 on blue: add-failed (pool-empty)")
        .contains("no IP addresses available")
        .contains("next: give ipam another range");
  }

  @Test
  void aRetryThatWentWellCountsMoreThanWhatFailedBefore(Host host, Host pod) {
    daemon.call("ADD", "try1", host, pod, "{\"cniVersion\":\"9.9.9\",\"name\":\"blue\"}", WEB);
    daemon.call("ADD", "try2", host, pod, network, WEB);

    Printed why = why("web-0", "--json");

    assertThat(why.exitCode()).isZero();
    JsonNode json = CniJson.parse(why.out());
    assertThat(json.at("/attachments/0/verdict").asString()).isEqualTo("attached");
    assertThat(json.at("/earlier/0/container").asString()).isEqualTo("try1");
    assertThat(json.at("/earlier/0/cause").asString()).isEqualTo("config");
  }

  @Test
  void whatWasDeletedIsFine(Host host, Host pod) {
    daemon.call("ADD", "c1", host, pod, network);
    daemon.call("DEL", "c1", host, pod, network);

    assertThat(why("c1").out()).contains("deleted");
    assertThat(why("c1").exitCode()).isZero();
  }

  @Test
  void theKernelIsAskedWhetherItStillIsSo(Host host, Host pod) {
    daemon.call("ADD", "c1", host, pod, network);

    pod.exec("ip", "address", "del", "10.77.0.2/24", "dev", "eth0");
    assertThat(verdict("c1")).isEqualTo("address-gone");
    pod.exec("ip", "link", "set", "eth0", "down");
    assertThat(verdict("c1")).isEqualTo("interface-down");
    pod.exec("ip", "link", "del", "eth0");
    assertThat(verdict("c1")).isEqualTo("interface-gone");
    pod.close();
    assertThat(verdict("c1")).isEqualTo("netns-gone");
  }

  @Test
  void aKilledCallIsDistinguishedFromARunningOne(Host host, Host pod) {
    daemon.call("ADD", "c1", host, pod, network);
    DaemonState state = new DaemonState(daemon.folders(), BootId.current());
    Kept kept = state.attachments().list().getFirst();
    state.journal().write(kept.name(), kept.record());

    assertThat(verdict("c1")).isEqualTo("killed");
    AttachmentKey key = kept.record().key().orElseThrow();
    try (RangeLock _ = state.lock(key, Duration.ofSeconds(5)).orElseThrow()) {
      assertThat(onAThreadOfItsOwn(() -> verdict("c1"))).isEqualTo("under-way");
    }
  }

  /** There is no record of it yet: only the daemon knows. */
  @Test
  void aCallThatWaitsForItsTurnIsUnderWay(Host host, Host pod) throws Exception {
    DaemonState state = new DaemonState(daemon.folders(), BootId.current());
    AttachmentKey key = new AttachmentKey("0123abc", "eth0");
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<PluginReply> add;
      try (RangeLock _ = state.lock(key, Duration.ofSeconds(5)).orElseThrow()) {
        add = threads.submit(() -> daemon.call("ADD", "0123abc", host, pod, network));
        Eventually.await(
            "the ADD to come", () -> onAThreadOfItsOwn(() -> verdict("0123")).equals("under-way"));
        assertThat(onAThreadOfItsOwn(() -> why("0123").out()))
            .contains("its first call waits for its turn");
        JsonNode status = new InfoClient(daemon.folders().infoSocket()).askJson("/status");
        assertThat(status.at("/underWay/0/container").asString()).isEqualTo("0123abc");
        assertThat(status.at("/underWay/0/plugin").asString()).isEqualTo("bridge");
        assertThat(status.at("/underWay/0/verb").asString()).isEqualTo("ADD");
        assertThat(status.at("/underWay/0/nanos").asLong()).isPositive();
      }
      assertThat(add.get().exitCode()).isZero();
    }
  }

  @Test
  void nobodyAskedForIt() {
    assertThat(why("nobody").exitCode()).isEqualTo(1);
    assertThat(why("nobody").out()).contains("never-asked", "next: ");
    assertThat(why("").exitCode()).isEqualTo(2);
  }

  @Test
  void withoutADaemonTheFilesAreUsed(Host host, Host pod) {
    daemon.call("ADD", "c1", host, pod, network);
    daemon.close();

    assertThat(why("c1").exitCode()).isZero();
    assertThat(why("c1").out()).contains("ocicatd is not running", "c1 eth0 on blue: attached");
    assertThat(verdict("c2")).isEqualTo("daemon-down");
  }

  private String verdict(String about) {
    return CniJson.parse(why(about, "--json").out()).at("/attachments/0/verdict").asString();
  }

  private static String onAThreadOfItsOwn(Callable<String> work) {
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      return threads.submit(work).get();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private Printed why(String... args) {
    return new Shell(daemon.folders())
        .run(
            WhyCommand::new,
            Stream.concat(
                    Stream.of(args),
                    Stream.of(
                        "--conf-dir=" + directory.resolve("net.d"),
                        "--cache-dir=" + directory.resolve("cache")))
                .toArray(String[]::new));
  }
}
