package io.ocicat.cli.bgp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.bird.BgpStatus;
import io.ocicat.agent.bird.BirdReconciler;
import io.ocicat.agent.bird.BirdSettings;
import io.ocicat.cli.Ocicat;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.terminal.ErrorReporter;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ocicat bgp status} prints, and its exit codes. */
@Hosts
class BgpStatusCommandTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path run;
  @TempDir Path otherRun;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int status(String... options) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    Map<String, String> environment = Map.of("OCICAT_RUN_DIR", run.toString());
    NodeContext context =
        new NodeContext(
            StateFolders.of(environment),
            Path.of("/"),
            PluginExecutables.none(),
            false,
            environment);
    String[] args = new String[options.length + 1];
    args[0] = "status";
    System.arraycopy(options, 0, args, 1, options.length);
    return Ocicat.run(
        BgpCommand.of(context),
        new ErrorReporter(new PrintWriter(err, true), false),
        new PrintWriter(out, true),
        args);
  }

  private static String node(String address, String peer) {
    return """
    router id %1$s;
    protocol device {}
    protocol static static4 { ipv4; route 10.%3$s.0.0/26 blackhole; }
    protocol bgp Mesh_%4$s {
      local %1$s as 64512; neighbor %2$s as 64512; multihop;
      connect delay time 1; connect retry time 1;
      ipv4 { import all; export all; };
    }
    """
        .formatted(address, peer, address.substring(address.length() - 1), peer.replace('.', '_'));
  }

  @Test
  void aNodeWithoutBgpIsSaidToBeOne() {
    assertThat(status()).isZero();
    assertThat(out.toString()).startsWith("BGP is off on this node");
    assertThat(status("--json")).isZero();
    assertThat(out.toString()).contains("\"enabled\": false");
  }

  @Test
  void aBirdThatDoesNotRunIsOneLine() throws Exception {
    Files.writeString(run.resolve("bird.conf"), "");
    assertThat(status()).isOne();
    assertThat(err.toString().lines()).singleElement().asString().contains("BIRD does not run");
  }

  @Test
  void sessionsAreListedWithTheirRoutesAndWhatMayBeWrong(Host a, Host b) {
    a.connect(b, "10.7.0.1/24", "10.7.0.2/24");
    try (NetNs nsA = NetNs.open(a.path());
        NetNs nsB = NetNs.open(b.path());
        BirdReconciler one = start(nsA, run);
        BirdReconciler two = start(nsB, otherRun)) {
      one.want(node("10.7.0.1", "10.7.0.2"));
      Eventually.await("BIRD", LIMIT, () -> one.status().filter(BgpStatus::isRunning).isPresent());
      Eventually.await(
          "the reason", LIMIT, () -> status() == 1 && out.toString().contains("refused"));
      assertThat(out.toString())
          .contains(
              "10.7.0.2: the peer's machine answers, but no BGP speaker listens there",
              "none of the 1 sessions is established");
      two.want(node("10.7.0.2", "10.7.0.1"));
      Eventually.await("the session", LIMIT, () -> status() == 0);
      assertThat(out.toString().lines().toList())
          .anyMatch(line -> line.matches("BIRD 2\\.\\S+, router ID 10\\.7\\.0\\.1, running .*"))
          .contains("IPv4")
          .anyMatch(
              line -> line.matches("10\\.7\\.0\\.2 +node-to-node mesh +Established +\\S+ +1 +1"));
      assertThat(status("--json")).isZero();
      assertThat(out.toString()).contains("\"state\": \"Established\"", "\"imported\": 1");
    }
  }

  private static BirdReconciler start(NetNs host, Path folder) {
    return BirdReconciler.start(host, folder, BirdSettings.standard(), _ -> {});
  }
}
