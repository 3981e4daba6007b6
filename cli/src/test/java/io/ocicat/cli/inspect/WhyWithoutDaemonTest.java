package io.ocicat.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.cli.LiveDaemon;
import io.ocicat.cli.Shell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.Container;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The daemon may be down, or may never have run. */
@Hosts
class WhyWithoutDaemonTest {
  private static final String RESULT =
      """
      {"cniVersion":"1.0.0","interfaces":[{"name":"eth0","sandbox":"x"}],
       "ips":[{"address":"10.77.0.2/24","interface":0}]}
      """;

  @TempDir private Path directory;
  private StateFolders folders;

  @BeforeEach
  void aNetworkOfHostLocal() throws IOException {
    folders = LiveDaemon.folders(directory);
    Path conf = Files.createDirectories(directory.resolve("net.d"));
    Files.writeString(
        conf.resolve("10-blue.conflist"),
        """
        {"cniVersion":"1.0.0","name":"blue","plugins":[{"type":"noop",
         "ipam":{"type":"host-local","subnet":"10.77.0.0/24","dataDir":"%s"}}]}
        """
            .formatted(directory.resolve("leases")));
    Path bin = Files.createDirectories(directory.resolve("bin"));
    Files.createFile(bin.resolve("noop"));
    Files.createFile(bin.resolve("host-local"));
  }

  /** As a runtime does whose plugins leave no record: it has libcni's cache. */
  private void attach(String container, Host pod) {
    Cni.builder()
        .confDirectory(directory.resolve("net.d"))
        .cacheDirectory(directory.resolve("cache"))
        .pluginDirectories(directory.resolve("bin"))
        .exec(_ -> new PluginReply(0, RESULT.getBytes(StandardCharsets.UTF_8), ""))
        .build()
        .network("blue")
        .add(
            Container.of(container, pod.path())
                .arg("IgnoreUnknown", "1")
                .arg("K8S_POD_NAMESPACE", "shop")
                .arg("K8S_POD_NAME", "web-0"));
    pod.exec("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "peer0");
    pod.exec("ip", "address", "add", "10.77.0.2/24", "dev", "eth0");
    pod.exec("ip", "link", "set", "eth0", "up");
  }

  @Test
  void theRuntimesCacheIsComparedWithTheKernel(Host pod) {
    attach("c1", pod);

    assertThat(why("shop/web-0").exitCode()).isZero();
    assertThat(why("c1").out())
        .contains("ocicatd is not running", "systemctl start ocicat")
        .contains("shop/web-0, c1 eth0 on blue: attached")
        .contains("its runtime's cache has it as attached with 10.77.0.2/24")
        .doesNotContain("next:");

    pod.exec("ip", "link", "del", "eth0");
    assertThat(why("web-0").exitCode()).isEqualTo(1);
    assertThat(why("web-0").out()).contains("interface-gone", "next: ");
    pod.close();
    assertThat(why("web-0").out())
        .contains("c1 eth0 on blue: netns-gone", "next: ", "`ocicat net gc blue`");
  }

  @Test
  void ofTwoCachedContainersTheRunningOneCounts(Host gone, Host pod) {
    attach("a-first", gone);
    gone.close();
    attach("b-second", pod);

    Printed why = why("web-0", "--json");

    assertThat(why.exitCode()).isZero();
    JsonNode json = CniJson.parse(why.out());
    assertThat(json.at("/attachments/0/container").asString()).isEqualTo("b-second");
    assertThat(json.at("/earlier/0/verdict").asString()).isEqualTo("netns-gone");
    assertThat(json.path("daemonAnswers").asBoolean(true)).isFalse();
    assertThat(json.path("daemonSilence").asString()).startsWith("ocicatd is not running");
  }

  @Test
  void aLeaseAloneIsReported() throws IOException {
    Path leases = Files.createDirectories(directory.resolve("leases/blue"));
    Files.writeString(leases.resolve("10.77.0.9"), "ghost\r\neth0");

    Printed why = why("ghost");

    assertThat(why.exitCode()).isEqualTo(1);
    assertThat(why.out())
        .contains("ghost eth0 on blue: lease-left")
        .contains("host-local has leased 10.77.0.9 of network blue to it")
        .contains("next: if the container is gone");
  }

  @Test
  void killedAndDeferredCallsWaitForTheDaemon(Host pod) {
    folders.create();
    DaemonState state = new DaemonState(folders, BootId.current());
    note(state.journal(), "killed", pod);
    note(state.spool(), "late", pod);

    assertThat(why("killed").out())
        .contains("killed eth0 on blue: killed", "next: start ocicatd, which undoes it");
    assertThat(why("late").out())
        .contains("late eth0 on blue: del-pending", "next: start ocicatd, which finishes it");
  }

  private static void note(RecordFolder folder, String container, Host pod) {
    folder.write(
        container,
        new CallRecord(
            BootId.current(),
            0,
            NamespaceId.own(),
            NamespaceId.of(pod.path()),
            "bridge",
            Map.of(
                "CNI_CONTAINERID",
                container,
                "CNI_IFNAME",
                "eth0",
                "CNI_NETNS",
                pod.path().toString()),
            "{\"cniVersion\":\"1.0.0\",\"name\":\"blue\",\"type\":\"bridge\"}"
                .getBytes(StandardCharsets.UTF_8),
            new byte[0]));
  }

  @Test
  void whereNothingIsKnownTheNextStepIsSuggested() {
    Printed why = why("nobody");

    assertThat(why.exitCode()).isEqualTo(1);
    assertThat(why.out())
        .contains("ocicatd is not running", "nobody: daemon-down")
        .contains(folders.state().toString(), directory.resolve("cache").toString())
        .contains("next: start ocicatd");
  }

  @Test
  void aCacheThatCannotBeReadHidesNothingElse() throws IOException {
    Path leases = Files.createDirectories(directory.resolve("leases/blue"));
    Files.writeString(leases.resolve("10.77.0.9"), "ghost\r\neth0");
    Files.createDirectories(directory.resolve("cache"));
    Files.writeString(directory.resolve("cache/results"), "no directory");

    assertThat(why("ghost").out())
        .contains("not everything could be checked: ", "cache/results")
        .contains("lease-left");
  }

  private Printed why(String... args) {
    return new Shell(folders)
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
