package io.ocicat.cli.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.ConfigValue;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.agent.status.AgentReport;
import io.ocicat.agent.status.AgentStatus;
import io.ocicat.cli.Shell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.cni.CniJson;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.linux.FileLock;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What {@code ocicat agent status} and {@code ocicat agent config} print, and their exit codes. */
class AgentCommandTest {
  @TempDir Path run;

  private Printed status(String... options) {
    return shell().run(AgentStatusCommand::new, options);
  }

  private Printed config(String... options) {
    return shell().run(AgentConfigCommand::new, options);
  }

  private Shell shell() {
    return new Shell(new StateFolders(run, run));
  }

  /** As an agent that runs reports. */
  private FileLock report(AgentStatus status, Map<String, String> environment) {
    Resource shared =
        Resource.of(
            new ResourceKey.Named(Kind.FELIX_CONFIGURATION, "", "default"),
            spec -> spec.put("vxlanMTU", 1400).put("vxlanPort", 4790));
    List<ConfigValue> values =
        EffectiveConfig.of(
                new ConfigSources(
                    environment, "VXLANVNI = 4097", List.of(shared), "node-1", Map.of()),
                null)
            .values();
    FileLock lock =
        FileLock.tryAcquire(AgentReport.lock(run), FileLock.Mode.EXCLUSIVE).orElseThrow();
    new AgentReport(run).write(status, List.of(IpPrefix.parse("10.244.3.0/24")), values);
    return lock;
  }

  private static AgentStatus ready() {
    return new AgentStatus("node-1", true, List.of(), List.of(), "", 3, 1, 5, 2, 1, 9, 1450, 42);
  }

  @Test
  void withoutAnAgentBothSaySo() {
    for (Printed printed : List.of(status(), config(), status("--json"), config("--json"))) {
      assertThat(printed.exitCode()).isEqualTo(1);
      assertThat(printed.out()).isEmpty();
      assertThat(printed.err()).startsWith("no agent runs here").contains("ocicat node");
    }
    // A report that a killed agent left is not believed.
    report(ready(), Map.of()).close();
    assertThat(status().err()).startsWith("no agent runs here");
  }

  @Test
  void theStatusIsWhatTheAgentReports() {
    try (FileLock _ = report(ready(), Map.of())) {
      Printed printed = status();
      assertThat(printed.exitCode()).as(printed.err()).isZero();
      assertThat(printed.out())
          .isEqualTo(
              """
              node node-1: in sync
              datastore: reachable
              cluster: 3 nodes, 1 pools, 5 blocks
              here: 1 of 2 endpoints ready, 9 routes, MTU of workloads 1450
              pods of this node: 10.244.3.0/24
              """);
      JsonNode json = CniJson.parse(status("--json").out());
      assertThat(json.path("ready").asBoolean()).isTrue();
      assertThat(json.path("kernelWrites").asInt()).isEqualTo(42);
      assertThat(json.has("configuration")).as("has a command of its own").isFalse();
    }
  }

  @Test
  void aProblemIsPrintedAndMakesTheExitCodeOne() {
    AgentStatus troubled =
        new AgentStatus(
            "node-1",
            true,
            List.of("route 10.65.1.0/26 is somebody else's"),
            List.of(),
            "etcd at 192.0.2.9:2379 does not answer",
            3,
            1,
            5,
            2,
            1,
            9,
            1450,
            42);
    try (FileLock _ = report(troubled, Map.of())) {
      Printed printed = status();
      assertThat(printed.exitCode()).isEqualTo(1);
      assertThat(printed.out())
          .contains("datastore: etcd at 192.0.2.9:2379 does not answer\n")
          .endsWith("problem: route 10.65.1.0/26 is somebody else's\n");
    }
    try (FileLock _ = report(AgentStatus.starting("node-1"), Map.of())) {
      assertThat(status().out()).startsWith("node node-1: not in sync\n");
      assertThat(status().exitCode()).isEqualTo(1);
    }
  }

  @Test
  void everyValueIsListedWithItsSource() {
    try (FileLock _ =
        report(ready(), Map.of("FELIX_VXLANMTU", "1300", "FELIX_BPFENABLED", "true"))) {
      Printed printed = config();
      assertThat(printed.exitCode()).as(printed.err()).isZero();
      assertThat(printed.out().lines().map(line -> line.replaceAll(" +", " ")))
          .contains(
              "PARAMETER VALUE SOURCE",
              "vxlanMTU 1300 environment",
              "vxlanVNI 4097 /etc/calico/felix.cfg",
              "vxlanPort 4790 FelixConfiguration default",
              "bpfEnabled true environment (not used)",
              "ipForwarding Enabled built-in default");
      JsonNode json = CniJson.parse(config("--json").out());
      JsonNode mtu =
          json.valueStream()
              .filter(value -> value.path("name").asString().equals("vxlanMTU"))
              .findFirst()
              .orElseThrow();
      assertThat(mtu.path("value").asString()).isEqualTo("1300");
      assertThat(mtu.path("source").asString()).isEqualTo("environment");
      assertThat(mtu.path("used").asBoolean()).isTrue();
    }
  }

  @Test
  void anInvalidValueIsNamedAndMakesTheExitCodeOne() {
    try (FileLock _ = report(ready(), Map.of("FELIX_VXLANMTU", "many"))) {
      Printed printed = config();
      assertThat(printed.exitCode()).isEqualTo(1);
      assertThat(printed.out().lines().map(line -> line.replaceAll(" +", " ")))
          .as("the next source counts")
          .contains("vxlanMTU 1400 FelixConfiguration default")
          .anyMatch(line -> line.contains("FELIX_VXLANMTU") && line.contains("many"));
    }
  }
}
