package io.ocicat.sandbox.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.sandbox.TestNode;
import io.ocicat.sandbox.infra.NoInfra;
import io.ocicat.sandbox.infra.RuncInfra;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes are killed at each step of an operation, and the next one cleans up. */
@Hosts
@Timeout(900)
class KillTest {
  private static final int KILLED = 137;

  @SuppressWarnings("NullAway.Init") // by train
  private static Victim victim;

  private TestNode node;
  private PodSandboxes pods;

  @BeforeAll
  static void train(@TempDir Path shared) {
    victim = new Victim(shared);
  }

  @BeforeEach
  void start(@TempDir Path folder, Host host) {
    node = new TestNode(folder, host);
    node.network("10-blue.conflist", PodLifeTest.BRIDGE);
    // The process that cleans up is another one: this one.
    pods = node.sandboxes(new NoInfra(), RuncPodTest.infra(folder));
  }

  @AfterEach
  void end() {
    try {
      pods.list(SandboxFilter.ALL).forEach(pod -> pods.removeByForce(pod.id(), new PodTrace()));
    } finally {
      node.close();
    }
  }

  private String run(String infra, String name) {
    return pods.run(KillMain.config(name, node.folder()), infra);
  }

  /** Counts the crash points of an operation. */
  private int points(String infra, String... what) {
    Output output = victim.run(node, infra, Victim.NEVER, what);
    assertThat(output.exitCode()).as(output.toString()).isZero();
    return Integer.parseInt(output.stderr().replaceAll("(?s).*passed (\\d+).*", "$1"));
  }

  private void kill(String infra, int point, String... what) {
    Output output = victim.run(node, infra, point, what);
    assertThat(output.exitCode())
        .as("killed at point %d of %s: %s", point, what[0], output)
        .isEqualTo(KILLED);
  }

  private void killedAtEveryStep(String infra) {
    String neighbour = run(infra, "neighbour");
    pods.remove(run(infra, "probe"));
    List<String> before = node.traces();

    int toRun = points(infra, "run", "probe");
    int toRemove = points(infra, "remove", pods.ofPod("shop", "probe").getFirst());
    assertThat(toRun).isGreaterThan(20);
    assertThat(node.traces()).isEqualTo(before);

    for (int point = 1; point <= toRun; point++) {
      kill(infra, point, "run", "web");
      assertThat(pods.recover()).as("recovery after point %d", point).isEmpty();
      // At the last points it existed already.
      pods.ofPod("shop", "web").forEach(pods::remove);
      assertThat(node.traces()).as("after point %d of run", point).isEqualTo(before);
    }
    for (int point = 1; point <= toRemove; point++) {
      String id = run(infra, "web");
      kill(infra, point, "remove", id);
      pods.recover();
      pods.remove(id);
      assertThat(node.traces()).as("after point %d of remove", point).isEqualTo(before);
    }
    SandboxStatus still = pods.status(neighbour);
    assertThat(still.state()).isEqualTo(SandboxState.READY);
    node.in(still, "ping", "-c1", "-W5", "10.65.0.1").run();
    pods.remove(neighbour);
  }

  @Test
  void withoutInfraProcess() {
    killedAtEveryStep(NoInfra.KIND);
  }

  @Test
  void withRunc() {
    killedAtEveryStep(RuncInfra.KIND);
  }

  @Test
  void aRecoveryThatIsKilledIsMadeUpFor() {
    pods.remove(run(NoInfra.KIND, "web"));
    List<String> before = node.traces();
    kill(NoInfra.KIND, 30, "run", "web");
    // Each gets further than the one before, until one finishes.
    int point = 1;
    while (victim.run(node, NoInfra.KIND, point, "recover").exitCode() == KILLED) {
      point++;
      assertThat(point).as("points of a recovery").isLessThan(100);
    }
    assertThat(point).as("points of a recovery").isGreaterThan(5);
    assertThat(pods.recover()).isEmpty();
    assertThat(node.traces()).isEqualTo(before);
  }
}
