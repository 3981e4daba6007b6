package io.ocicat.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.base.json.Json;
import io.ocicat.cli.LiveDaemon;
import io.ocicat.cli.Shell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Hosts
class StatusCommandTest {
  @TempDir private Path directory;

  @Test
  void aDaemonThatServesHasReachedEveryRung(Host host, Host pod) {
    try (LiveDaemon daemon = LiveDaemon.start(directory)) {
      daemon.call("ADD", "c1", host, pod, daemon.network("10.77.0.0/24"));

      Printed status = status();

      assertThat(status.exitCode()).isZero();
      assertThat(status.out())
          .startsWith("ocicatd 1.2.3 (commit abc) runs as process ")
          .contains("ok   running", "ok   recovered", "ok   drained", "ok   serving", "ok   kernel")
          .contains("1 attachments");
    }
  }

  /** Review U19. */
  @Test
  void aChainOfPluginsIsOneAttachment(Host host, Host pod) {
    try (LiveDaemon daemon = LiveDaemon.start(directory)) {
      PluginReply bridge = daemon.call("ADD", "c1", host, pod, daemon.network("10.77.0.0/24"));
      ObjectNode portmap =
          Json.object().put("cniVersion", "1.0.0").put("name", "blue").put("type", "portmap");
      portmap.set("prevResult", CniJson.parse(bridge.stdout()));
      daemon.call("portmap", "ADD", "c1", host, pod, Json.compact(portmap), Map.of());
      assertThat(new DaemonState(daemon.folders(), BootId.current()).attachments().names())
          .hasSize(2);

      assertThat(status().out()).contains("1 attachments");
      assertThat(CniJson.parse(status("--json").out()).at("/daemon/attachments").asInt())
          .isEqualTo(1);
      daemon.call("DEL", "c1", host, pod, daemon.network("10.77.0.0/24"));
      daemon.call("portmap", "DEL", "c1", host, pod, Json.compact(portmap), Map.of());
      assertThat(CniJson.parse(status("--json").out()).at("/daemon/attachments").asInt()).isZero();
    }
  }

  @Test
  void jsonHasTheSameLadder() {
    try (LiveDaemon _ = LiveDaemon.start(directory)) {
      JsonNode json = CniJson.parse(status("--json").out());

      assertThat(json.path("ready").asBoolean()).isTrue();
      assertThat(json.at("/ladder/0/rung").asString()).isEqualTo("running");
      assertThat(json.at("/daemon/stage").asString()).isEqualTo("serving");
    }
  }

  @Test
  void withoutADaemonTheFilesAreRead(Host host, Host pod) {
    try (LiveDaemon daemon = LiveDaemon.start(directory)) {
      daemon.call("ADD", "c1", host, pod, daemon.network("10.77.0.0/24"));
    }
    DaemonState state = new DaemonState(LiveDaemon.folders(directory), BootId.current());
    Kept kept = state.attachments().list().getFirst();
    state.journal().write(kept.name(), kept.record());
    state.spool().write(kept.name(), kept.record());

    Printed status = status();

    assertThat(status.exitCode()).isEqualTo(1);
    assertThat(status.out())
        .startsWith("ocicatd is not running")
        .contains("NO   running", "NO   recovered", "NO   drained", "NO   serving")
        .contains("1 attachments, 1 calls in the journal, 1 DELs in the spool");
  }

  @Test
  void aMachineThatNeverHadADaemonIsFine() {
    assertThat(status().out()).contains("0 attachments");
    assertThat(directory).isEmptyDirectory();
  }

  private Printed status(String... args) {
    return new Shell(LiveDaemon.folders(directory)).run(StatusCommand::new, args);
  }
}
