package io.ocicat.sandbox.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.TestContainers;
import io.ocicat.sandbox.TestNode;
import io.ocicat.sandbox.container.ContainerFilter;
import io.ocicat.sandbox.container.ContainerState;
import io.ocicat.sandbox.container.ContainerStatus;
import io.ocicat.sandbox.infra.RuncInfra;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes are killed at the steps of an operation on a container, and the next one recovers:
 * nothing is lost or left, and what runs keeps running. Without {@code -Docicat.longer} only at
 * some of the steps.
 */
@Hosts
@Timeout(900)
class ContainerKillTest {
  private static final int KILLED = 137;
  private static final int STEP = Integer.getInteger("ocicat.longer", 0) > 0 ? 1 : 4;

  @SuppressWarnings("NullAway.Init") // by train
  private static Victim victim;

  private TestNode node;
  private TestContainers machine;
  private String sandbox;
  private String neighbour;

  @BeforeAll
  static void train(@TempDir Path shared) {
    victim = new Victim(shared);
  }

  @BeforeEach
  void start(@TempDir Path folder, Host host) throws IOException {
    node = new TestNode(folder, host);
    machine = new TestContainers(node);
    Files.copy(TestContainers.pause(), folder.resolve("pause"));
    sandbox = machine.runPod("web");
    neighbour = KillMain.create(machine.pods(), sandbox, "neighbour");
    machine.containers().start(neighbour);
  }

  @AfterEach
  void end() {
    machine.close();
  }

  private Output run(int point, String... what) {
    return victim.run(node, RuncInfra.KIND, point, what);
  }

  /** Counts the crash points of an operation. */
  private int points(String... what) {
    Output output = run(Victim.NEVER, what);
    assertThat(output.exitCode()).as(output.toString()).isZero();
    return Integer.parseInt(output.stderr().replaceAll("(?s).*passed (\\d+).*", "$1"));
  }

  private void atSomePoints(int points, IntConsumer test) {
    assertThat(points).isPositive();
    for (int point = 1; point <= points; point += STEP) {
      test.accept(point);
    }
  }

  private void kill(int point, String... what) {
    Output output = run(point, what);
    assertThat(output.exitCode())
        .as("killed at point %d of %s: %s", point, what[0], output)
        .isEqualTo(KILLED);
  }

  private void recover(int point) {
    machine.restart();
    assertThat(machine.pods().recover()).as("recovery after point %d", point).isEmpty();
    assertThat(machine.containers().status(neighbour).state()).isEqualTo(ContainerState.RUNNING);
  }

  private List<ContainerStatus> others() {
    return machine.containers().list(ContainerFilter.ALL).stream()
        .filter(container -> !container.id().equals(neighbour))
        .toList();
  }

  private List<String> traces() {
    List<String> traces = machine.traces();
    traces.removeIf(line -> line.startsWith("logs/"));
    return traces;
  }

  private void nothingIsLeft(List<String> before, String when) {
    others().forEach(container -> machine.containers().remove(container.id()));
    Eventually.passes(
        Duration.ofSeconds(10), () -> assertThat(traces()).as(when).isEqualTo(before));
    assertThat(machine.exec(neighbour, "echo", "alive")).isEqualTo("alive\n");
  }

  @Test
  void whileItIsCreated() {
    List<String> before = traces();
    int points = points("create", sandbox, "probe");
    nothingIsLeft(before, "after probing");
    atSomePoints(
        points,
        point -> {
          kill(point, "create", sandbox, "main");
          recover(point);
          // The client repeats its request.
          String id = KillMain.create(machine.pods(), sandbox, "main");
          assertThat(others()).extracting(ContainerStatus::id).containsExactly(id);
          machine.containers().start(id);
          machine.containers().remove(id);
          nothingIsLeft(before, "after point %d of create".formatted(point));
        });
  }

  @Test
  void whileItIsStarted() {
    List<String> before = traces();
    int points = points("start", KillMain.create(machine.pods(), sandbox, "probe"));
    nothingIsLeft(before, "after probing");
    atSomePoints(
        points,
        point -> {
          String id = KillMain.create(machine.pods(), sandbox, "main");
          kill(point, "start", id);
          recover(point);
          ContainerStatus now = machine.containers().status(id);
          assertThat(now.state()).isIn(ContainerState.CREATED, ContainerState.RUNNING);
          if (now.state() == ContainerState.CREATED) {
            machine.containers().start(id);
          }
          assertThat(machine.exec(id, "echo", "alive")).isEqualTo("alive\n");
          nothingIsLeft(before, "after point %d of start".formatted(point));
        });
  }

  private String started() {
    String id = KillMain.create(machine.pods(), sandbox, "main");
    machine.containers().start(id);
    Eventually.await(
        "its traps",
        () -> TestContainers.printed(machine.containers().status(id)).contains("started"));
    return id;
  }

  @Test
  void whileItIsStopped() {
    List<String> before = traces();
    int points = points("end", started());
    nothingIsLeft(before, "after probing");
    atSomePoints(
        points,
        point -> {
          String id = started();
          kill(point, "end", id);
          recover(point);
          machine.containers().stop(id, Duration.ofSeconds(10));
          ContainerStatus end = machine.containers().status(id);
          assertThat(end.state()).isEqualTo(ContainerState.EXITED);
          assertThat(end.exitCode()).isEqualTo(3);
          nothingIsLeft(before, "after point %d of stop".formatted(point));
        });
  }

  @Test
  void whileItIsRemoved() {
    List<String> before = traces();
    int points = points("delete", started());
    nothingIsLeft(before, "after probing");
    atSomePoints(
        points,
        point -> {
          String id = started();
          kill(point, "delete", id);
          recover(point);
          machine.containers().remove(id);
          nothingIsLeft(before, "after point %d of remove".formatted(point));
        });
  }

  @Test
  void withItsSandbox() {
    int points = points("remove", podWithContainer());
    List<String> before = traces();
    atSomePoints(
        points,
        point -> {
          String pod = podWithContainer();
          kill(point, "remove", pod);
          recover(point);
          machine.pods().remove(pod);
          nothingIsLeft(before, "after point %d of remove of the sandbox".formatted(point));
        });
  }

  private String podWithContainer() {
    String pod = machine.runPod("pod");
    machine.containers().start(KillMain.create(machine.pods(), pod, "main"));
    return pod;
  }

  /** A runtime, or a monitor, that somebody kills fails one operation and leaves nothing. */
  @Test
  void whenRuntimeOrMonitorAreKilled() {
    List<String> before = traces();
    List<String> runtimeDies = List.of("kill -9 $$", "RUNC; kill -9 $$", "RUNC & kill -9 $$");
    List<String> monitorDies = List.of("kill -9 $PPID; RUNC", "RUNC; kill -9 $PPID; sleep 1");
    for (String script : Stream.of(runtimeDies, monitorDies).flatMap(List::stream).toList()) {
      during("create", script);
      assertThatThrownBy(() -> KillMain.create(machine.pods(), sandbox, "main"))
          .as(script)
          .isInstanceOf(SandboxException.class)
          .hasMessageNotContaining("cleaning up failed");
      assertThat(others()).isEmpty();
      nothingIsLeft(before, "after create: " + script);
    }
    for (String script : runtimeDies) {
      during("start", script);
      String id = KillMain.create(machine.pods(), sandbox, "main");
      assertThatThrownBy(() -> machine.containers().start(id))
          .as(script)
          .hasMessageContaining("start");
      ContainerStatus failed = machine.containers().status(id);
      assertThat(failed.state()).isEqualTo(ContainerState.EXITED);
      assertThat(failed.exitCode()).isEqualTo(128);
      assertThat(failed.reason()).isEqualTo("StartError");
      nothingIsLeft(before, "after start: " + script);
    }
  }

  /** Uses a runtime that does something else for one of its commands. */
  private void during(String command, String script) {
    Path wrapper = machine.folder().resolve("bin/runc");
    TestNode.executable(
        wrapper,
        """
        for a in "$@"; do
          if [ "$a" = %s ]; then %s; exit; fi
        done
        exec /usr/sbin/runc "$@\""""
            .formatted(command, script.replace("RUNC", "/usr/sbin/runc \"$@\"")));
    machine.restart(TestContainers.settings(machine.folder()).runtime(wrapper, List.of()));
  }
}
