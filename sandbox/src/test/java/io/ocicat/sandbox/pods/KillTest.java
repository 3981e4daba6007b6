package io.ocicat.sandbox.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.sandbox.TestNode;
import io.ocicat.sandbox.infra.Infra;
import io.ocicat.sandbox.infra.NoInfra;
import io.ocicat.sandbox.infra.RuncInfra;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed at each step of what they do, and what the next one makes of it. */
@Hosts
@Timeout(900)
class KillTest {
  private static final String NEVER = "1000000";
  private static final int STRIDE = 5;

  private TestNode node;

  @BeforeEach
  void start(@TempDir Path folder, Host host) {
    node = new TestNode(folder, host);
    node.network("10-blue.conflist", PodLifeTest.BRIDGE);
  }

  @AfterEach
  void end() {
    node.close();
  }

  private Output process(String infra, String point, String... what) {
    List<String> argv =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                KillMain.class.getName(),
                node.folder().toString(),
                infra,
                point));
    argv.addAll(List.of(what));
    return node.host().command(argv.toArray(String[]::new)).limit(Duration.ofMinutes(3)).attempt();
  }

  private Output succeeds(String infra, String... what) {
    Output output = process(infra, NEVER, what);
    assertThat(output.exitCode()).as(output.toString()).isZero();
    return output;
  }

  private static int points(Output output) {
    return Integer.parseInt(
        output
            .stderr()
            .lines()
            .filter(line -> line.startsWith("passed "))
            .findFirst()
            .orElseThrow()
            .substring("passed ".length()));
  }

  /** All of them would take minutes; each infra begins at another one. */
  private void killedAtEveryStep(String infra, int first) {
    Output neighbour = succeeds(infra, "run", "neighbour");
    String neighbourId = neighbour.stdout().strip();
    succeeds(infra, "remove", succeeds(infra, "run", "probe").stdout().strip());
    List<String> before = node.traces();
    Output probe = succeeds(infra, "run", "probe");
    int toRun = points(probe);
    int toRemove = points(succeeds(infra, "remove", probe.stdout().strip()));
    assertThat(toRun).isGreaterThan(20);

    for (int point = first; point <= toRun; point += STRIDE) {
      assertThat(process(infra, Integer.toString(point), "run", "web").exitCode())
          .as("killed at point %d", point)
          .isEqualTo(137);
      Output recovered = succeeds(infra, "recover");
      assertThat(recovered.stdout()).as("recovery after point %d", point).isEmpty();
      // At the last points it was there already.
      for (String id : node.sandboxes().ofPod("shop", "web")) {
        succeeds(infra, "remove", id);
      }
      assertThat(node.traces()).as("after point %d of run", point).isEqualTo(before);
    }
    for (int point = first; point <= toRemove; point += STRIDE) {
      String id = succeeds(infra, "run", "web").stdout().strip();
      assertThat(process(infra, Integer.toString(point), "remove", id).exitCode())
          .as("killed at point %d", point)
          .isEqualTo(137);
      succeeds(infra, "recover");
      succeeds(infra, "remove", id);
      assertThat(node.traces()).as("after point %d of remove", point).isEqualTo(before);
    }
    SandboxStatus still = node.sandboxes(infraOf(infra)).status(neighbourId);
    assertThat(still.state()).isEqualTo(SandboxState.READY);
    Command.of("nsenter", "--net=" + still.netns(), "ping", "-c1", "-W5", "10.65.0.1").run();
    succeeds(infra, "remove", neighbourId);
  }

  private Infra infraOf(String kind) {
    return kind.equals("none")
        ? new NoInfra()
        : new RuncInfra(
            Path.of("/usr/sbin/runc"),
            node.folder().resolve("pause"),
            node.folder().resolve("run/runc"));
  }

  @Test
  void withoutInfraProcess() {
    killedAtEveryStep("none", 1);
  }

  @Test
  void withRunc() {
    RuncPodTest.infra(node.folder());
    killedAtEveryStep("runc", 2);
  }

  @Test
  void aRecoveryThatIsKilledIsMadeUpFor() {
    succeeds("none", "remove", succeeds("none", "run", "web").stdout().strip());
    List<String> before = node.traces();
    assertThat(process("none", "30", "run", "web").exitCode()).isEqualTo(137);
    for (int point = 4; point < 20; point += 5) {
      process("none", Integer.toString(point), "recover");
    }
    assertThat(succeeds("none", "recover").stdout()).isEmpty();
    assertThat(node.traces()).isEqualTo(before);
  }
}
