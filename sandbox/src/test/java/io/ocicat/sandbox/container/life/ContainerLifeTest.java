package io.ocicat.sandbox.container.life;

import static io.ocicat.sandbox.TestContainers.printed;
import static io.ocicat.sandbox.TestContainers.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.sandbox.LinuxResources;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.TestContainers;
import io.ocicat.sandbox.TestNode;
import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerEvent;
import io.ocicat.sandbox.container.ContainerEvents;
import io.ocicat.sandbox.container.ContainerFilter;
import io.ocicat.sandbox.container.ContainerImage;
import io.ocicat.sandbox.container.ContainerSecurity;
import io.ocicat.sandbox.container.ContainerState;
import io.ocicat.sandbox.container.ContainerStatus;
import io.ocicat.sandbox.container.ContainerUsage;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.pods.SandboxFilter;
import io.ocicat.sandbox.pods.SandboxState;
import io.ocicat.sandbox.store.Checkpoint;
import io.ocicat.sandbox.store.Checkpoints;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What critest's groups Container, OOM, Idempotence and Multiple Containers ask for. */
@Hosts
@Timeout(180)
class ContainerLifeTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private TestContainers machine;
  private Containers containers;
  private String sandbox;

  @BeforeEach
  void start(@TempDir Path folder, Host host) {
    machine = new TestContainers(new TestNode(folder, host));
    containers = machine.containers();
    sandbox = machine.runPod("web");
  }

  @AfterEach
  void end() {
    machine.close();
  }

  private static void fails(Reason reason, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContainingAll(words);
  }

  private void kill(long pid) {
    Command.of("kill", "-KILL", Long.toString(pid)).run();
  }

  private long monitor(String id) {
    return Long.parseLong(
        TestContainers.read(machine.folder().resolve("run/c/bundles/" + id + "/conmon.pid"))
            .strip());
  }

  @Test
  void aContainerIsCreatedStartedStoppedAndRemoved() {
    ContainerConfig config =
        shell("main", "trap 'echo ended; exit 7' TERM; echo started; while :; do sleep 0.05; done")
            .labels(Map.of("a", "1"))
            .annotations(Map.of("note", "x\ny"))
            .build();
    String id = machine.create(sandbox, config);
    ContainerStatus created = containers.status(id);
    assertThat(created.state()).isEqualTo(ContainerState.CREATED);
    assertThat(created.createdAt()).isPositive();
    assertThat(created.startedAt()).isZero();
    assertThat(created.config()).isEqualTo(config);
    assertThat(created.sandboxId()).isEqualTo(sandbox);
    assertThat(created.imageId()).isEqualTo("sha256:b");
    assertThat(created.image()).isEqualTo("busybox");

    containers.start(id);
    ContainerStatus running = containers.status(id.substring(0, 13));
    assertThat(running.state()).isEqualTo(ContainerState.RUNNING);
    assertThat(running.startedAt()).isGreaterThanOrEqualTo(created.createdAt());
    assertThat(running.pid()).isPositive();
    fails(Reason.NOT_READY, () -> containers.start(id), "RUNNING");
    Eventually.await("its output", () -> printed(running).equals("started\n"));

    containers.stop(id, LONG);
    ContainerStatus exited = containers.status(id);
    assertThat(exited.state()).isEqualTo(ContainerState.EXITED);
    assertThat(exited.exitCode()).isEqualTo(7);
    assertThat(exited.reason()).isEqualTo("Error");
    assertThat(exited.finishedAt()).isGreaterThanOrEqualTo(running.startedAt());
    assertThat(printed(exited)).isEqualTo("started\nended\n");
    containers.stop(id, LONG);

    containers.remove(id);
    containers.remove(id);
    containers.stop(id, LONG);
    assertThat(containers.list(ContainerFilter.ALL)).isEmpty();
    fails(Reason.NOT_FOUND, () -> containers.status(id), id.substring(0, 20));
    fails(Reason.NOT_FOUND, () -> containers.start(id), "no container");
  }

  @Test
  void removingEndsWhatRuns() {
    List<String> before = machine.traces();
    String created = machine.create(sandbox, shell("created", "sleep 1000").build());
    String running = machine.start(sandbox, shell("running", "sleep 1000"));
    containers.remove(created);
    containers.remove(running);
    assertThat(containers.list(ContainerFilter.ALL)).isEmpty();
    List<String> after = machine.traces();
    after.removeIf(line -> line.startsWith("logs/"));
    assertThat(after).isEqualTo(before);
  }

  @Test
  void exitCodesHaveReasons() {
    assertThat(exit("exit 0")).isEqualTo("0 Completed");
    assertThat(exit("exit 3")).isEqualTo("3 Error");
    assertThat(exit("kill -KILL $$; sleep 5")).isEqualTo("137 Error");
    assertThat(exit("dd if=/dev/zero of=/dev/null bs=200M count=20")).isEqualTo("137 OOMKilled");
  }

  private String exit(String script) {
    String id =
        machine.start(
            sandbox,
            shell("main", script)
                .security(
                    ContainerSecurity.builder()
                        .namespaces(NamespaceMode.POD, NamespaceMode.POD, NamespaceMode.POD)
                        .build())
                .resources(LinuxResources.NONE.withMemory(30 << 20, 0)));
    ContainerStatus end = machine.awaitExit(id);
    containers.remove(id);
    return end.exitCode() + " " + end.reason();
  }

  @Test
  void aCommandThatDoesNotExistCreatesNothing() {
    List<String> before = machine.traces();
    ContainerConfig missing =
        ContainerConfig.of("main", 0, "busybox").command(List.of("/no/such"), List.of()).build();
    fails(Reason.FAILED, () -> machine.create(sandbox, missing), "/no/such", "no such file");
    assertThat(containers.list(ContainerFilter.ALL)).isEmpty();
    assertThat(machine.traces()).isEqualTo(before);
  }

  /** containerd#4604: a request that is repeated after a timeout must not fail. */
  @Test
  void aRepeatedRequestReturnsTheSameContainer() {
    ContainerConfig config = shell("main", "sleep 1000").build();
    String id = machine.create(sandbox, config);
    assertThat(machine.create(sandbox, config)).isEqualTo(id);
    ContainerConfig other = shell("main", "sleep 2000").build();
    fails(Reason.EXISTS, () -> machine.create(sandbox, other), "main", id.substring(0, 13));
    containers.start(id);
    fails(Reason.EXISTS, () -> machine.create(sandbox, config), "RUNNING");
    String next =
        machine.create(
            sandbox,
            ContainerConfig.of("main", 1, "busybox")
                .command(List.of("sleep", "1000"), List.of())
                .build());
    assertThat(containers.list(ContainerFilter.ofSandbox(sandbox)))
        .extracting(ContainerStatus::id)
        .containsExactly(next, id);
    String elsewhere = machine.runPod("other");
    assertThat(machine.create(elsewhere, config)).isNotEqualTo(id);
  }

  @Test
  void listsAreFiltered() {
    String a = machine.start(sandbox, shell("a", "sleep 1000").labels(Map.of("app", "web")));
    String b = machine.create(sandbox, shell("b", "true").labels(Map.of("app", "web")).build());
    assertThat(ids(new ContainerFilter("", "", ContainerState.RUNNING, Map.of())))
        .containsExactly(a);
    assertThat(ids(new ContainerFilter("", sandbox.substring(0, 9), null, Map.of("app", "web"))))
        .containsExactly(b, a);
    assertThat(ids(new ContainerFilter(b.substring(0, 20), "", null, Map.of()))).containsExactly(b);
    assertThat(ids(new ContainerFilter("", "", null, Map.of("app", "db")))).isEmpty();
  }

  private List<String> ids(ContainerFilter filter) {
    return containers.list(filter).stream().map(ContainerStatus::id).toList();
  }

  /** A shell as the first process ignores TERM, and others may share its PID namespace. */
  @Test
  void whatIgnoresTheSignalIsKilledWithItsChildren() {
    String id =
        machine.start(sandbox, shell("main", "trap '' TERM; setsid sleep 98762 & sleep 98762"));
    Eventually.await("its children", () -> count("sleep 98762") == 2);
    containers.stop(id, Duration.ofSeconds(1));
    assertThat(containers.status(id).exitCode()).isEqualTo(137);
    assertThat(count("sleep 98762")).isZero();
    assertThat(machine.pods().status(sandbox).pid()).isPositive();
  }

  private static int count(String commandLine) {
    return Integer.parseInt(
        Command.of("pgrep", "-fc", "^" + commandLine).attempt().stdout().strip());
  }

  @Test
  void theImagesStopSignalIsUsedUnlessTheConfigurationHasOne() {
    String script = "trap 'exit 10' USR1; trap 'exit 12' USR2; while :; do sleep 0.05; done";
    ContainerImage image =
        new ContainerImage("i", "", "", List.of(), List.of(), List.of(), "", List.of(), "SIGUSR1");
    String ofImage =
        machine
            .pods()
            .createContainer(sandbox, shell("a", script).build(), image, new byte[] {1, 2});
    assertThat(containers.status(ofImage).request()).isEqualTo("AQI=");
    String own =
        machine
            .pods()
            .createContainer(
                sandbox, shell("b", script).stopSignal("USR2").build(), image, new byte[0]);
    for (String id : List.of(ofImage, own)) {
      containers.start(id);
      ready(id);
      containers.stop(id, LONG);
    }
    assertThat(containers.status(ofImage).exitCode()).isEqualTo(10);
    assertThat(containers.status(own).exitCode()).isEqualTo(12);
  }

  /** Waits until the shell has set its traps. */
  private void ready(String id) {
    long pid = containers.status(id).pid();
    Eventually.await(
        "the traps of " + id,
        () ->
            TestContainers.read(Path.of("/proc/" + pid + "/status"))
                .lines()
                .anyMatch(line -> line.startsWith("SigCgt:") && !line.matches("SigCgt:\\s0*")));
  }

  /** containerd#6080: a stop must not end with its caller's deadline. */
  @Test
  void aStopGoesOnWithoutItsCallerAndCanBeShortened() throws InterruptedException {
    String id = machine.start(sandbox, shell("main", "trap '' TERM; sleep 1000 & wait; wait"));
    Thread caller = new Thread(() -> stopQuietly(id));
    caller.start();
    Eventually.await("the caller", () -> caller.getState() == Thread.State.WAITING);
    caller.interrupt();
    caller.join();
    assertThat(containers.status(id).state()).isEqualTo(ContainerState.RUNNING);
    containers.stop(id, Duration.ZERO);
    assertThat(containers.status(id).state()).isEqualTo(ContainerState.EXITED);
  }

  private void stopQuietly(String id) {
    try {
      containers.stop(id, Duration.ofHours(1));
    } catch (SandboxException e) {
      assertThat(e.reason()).isEqualTo(Reason.DEADLINE);
    }
  }

  /** containerd#12678: pid and start time are the truth, not an event. */
  @Test
  void aProcessThatIsGoneHasExitedWhoeverWasKilled() {
    String withMonitor = machine.start(sandbox, shell("a", "sleep 1000"));
    kill(containers.status(withMonitor).pid());
    assertThat(machine.awaitExit(withMonitor).exitCode()).isEqualTo(137);

    String without = machine.start(sandbox, shell("b", "sleep 1000"));
    kill(monitor(without));
    assertThat(containers.status(without).state()).isEqualTo(ContainerState.RUNNING);
    kill(containers.status(without).pid());
    ContainerStatus missed = machine.awaitExit(without);
    assertThat(missed.exitCode()).isEqualTo(255);
    assertThat(missed.reason()).isEqualTo("Unknown");

    String stopped = machine.start(sandbox, shell("c", "sleep 1000"));
    kill(monitor(stopped));
    containers.stop(stopped, Duration.ofMillis(1));
    assertThat(containers.status(stopped).state()).isEqualTo(ContainerState.EXITED);
  }

  @Test
  void aRestartedServerAdoptsWhatRuns() {
    String running = machine.start(sandbox, shell("a", "sleep 1000"));
    String created = machine.create(sandbox, shell("b", "true").build());
    String exited = machine.start(sandbox, shell("c", "sleep 0.1; exit 5"));
    ContainerStatus before = containers.status(running);
    machine.restart();
    assertThat(machine.containers().recover()).isEmpty();
    assertThat(machine.containers().status(running)).isEqualTo(before);
    machine.containers().start(created);
    assertThat(machine.awaitExit(created).exitCode()).isZero();
    assertThat(machine.awaitExit(exited).exitCode()).isEqualTo(5);
    machine.containers().stop(running, Duration.ZERO);
  }

  @Test
  void afterARebootContainersHaveExited() throws IOException {
    String id = machine.start(sandbox, shell("main", "sleep 1000"));
    Path record = machine.folder().resolve("state/containers/" + id + "/record.json");
    String text = Files.readString(record);
    containers.stop(id, Duration.ZERO);
    // What is left of it is from a boot before this one.
    Files.delete(machine.folder().resolve("run/c/exits/" + id));
    Files.writeString(record, text.replaceAll("\"bootId\":\"[^\"]*\"", "\"bootId\":\"other\""));
    machine.restart();
    assertThat(machine.containers().recover()).isEmpty();
    ContainerStatus status = machine.containers().status(id);
    assertThat(status.state()).isEqualTo(ContainerState.EXITED);
    assertThat(status.exitCode()).isEqualTo(255);
    assertThat(status.reason()).isEqualTo("Unknown");
    assertThat(status.message()).contains("restarted");
  }

  @Test
  void sandboxesAreListedAsTheirInfraProcessIs() {
    assertThat(machine.pods().items(SandboxFilter.ALL))
        .singleElement()
        .satisfies(
            item -> {
              assertThat(item.id()).isEqualTo(sandbox);
              assertThat(item.state()).isEqualTo(SandboxState.READY);
              assertThat(item.config().metadata().name()).isEqualTo("web");
            });
    kill(machine.pods().status(sandbox).pid());
    Eventually.await(
        "the end of the infra process",
        () -> machine.pods().items(SandboxFilter.ALL).getFirst().state() == SandboxState.NOTREADY);
    fails(
        Reason.NOT_READY,
        () -> machine.create(sandbox, shell("late", "true").build()),
        "not ready");
    new Checkpoints(machine.folder().resolve("state/sandbox"))
        .put("d".repeat(64), new Checkpoint("gone", "shop", List.of(), true));
    assertThat(machine.pods().items(SandboxFilter.ALL))
        .filteredOn(item -> item.config().metadata().name().equals("gone"))
        .singleElement()
        .satisfies(item -> assertThat(item.createdAt()).isPositive());
    machine.pods().remove("d".repeat(64));
  }

  @Test
  void aDamagedRecordStopsNobody() throws IOException {
    String damaged = machine.start(sandbox, shell("a", "sleep 98766"));
    String sound = machine.start(sandbox, shell("b", "sleep 1000"));
    Files.writeString(
        machine.folder().resolve("state/containers/" + damaged + "/record.json"), "{\"id\":");
    assertThat(ids(ContainerFilter.ALL)).containsExactly(sound);
    fails(Reason.CORRUPT, () -> containers.status(damaged), "damaged", "remove");
    machine.restart();
    assertThat(machine.pods().recover()).isEmpty();
    assertThat(count("sleep 98766")).isZero();
    fails(Reason.NOT_FOUND, () -> machine.containers().status(damaged), "no container");
    assertThat(machine.containers().status(sound).state()).isEqualTo(ContainerState.RUNNING);
  }

  @Test
  void eventsFollowEachOther() throws InterruptedException {
    containers.watch();
    List<String> seen = new ArrayList<>();
    try (ContainerEvents.Subscription events = containers.events().subscribe()) {
      String id = machine.start(sandbox, shell("main", "exit 1"));
      for (int i = 0; i < 3; i++) {
        ContainerEvent event = events.next().orElseThrow();
        assertThat(event.id()).isEqualTo(id);
        assertThat(event.sandboxId()).isEqualTo(sandbox);
        seen.add(event.kind().name());
      }
      machine.pods().remove(sandbox);
      for (int i = 0; i < 3; i++) {
        ContainerEvent event = events.next().orElseThrow();
        seen.add(event.kind().name() + (event.id().equals(sandbox) ? " sandbox" : ""));
      }
    }
    assertThat(seen)
        .containsExactly(
            "CREATED", "STARTED", "STOPPED", "STOPPED sandbox", "DELETED", "DELETED sandbox");
  }

  @Test
  void aSandboxTakesItsContainersWithIt() {
    String running = machine.start(sandbox, shell("a", "trap '' TERM; sleep 1000"));
    String created = machine.create(sandbox, shell("b", "true").build());
    machine.pods().stop(sandbox);
    for (String id : List.of(running, created)) {
      assertThat(containers.status(id).state()).isEqualTo(ContainerState.EXITED);
      assertThat(containers.status(id).exitCode()).isEqualTo(137);
    }
    fails(
        Reason.NOT_READY,
        () -> machine.create(sandbox, shell("late", "true").build()),
        "not ready");
    machine.pods().remove(sandbox);
    assertThat(containers.list(ContainerFilter.ALL)).isEmpty();
    assertThat(machine.traces())
        .noneMatch(line -> line.startsWith("run/") && !line.contains("netns"));
  }

  @Test
  void statisticsComeFromTheCgroup() {
    String id =
        machine.start(
            sandbox,
            shell("main", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 1000")
                .resources(LinuxResources.NONE.withMemory(64 << 20, 0)));
    Eventually.await("some work", () -> containers.usage(id).cpuNanos() > 1_000_000);
    ContainerUsage usage = containers.usage(id);
    assertThat(usage.memoryUsage()).isPositive();
    assertThat(usage.workingSet()).isBetween(1L, usage.memoryUsage());
    assertThat(usage.availableBytes()).isEqualTo((64 << 20) - usage.workingSet());
    assertThat(usage.pageFaults()).isPositive();
    assertThat(usage.timestamp()).isPositive();
    assertThat(containers.usages(ContainerFilter.ALL)).hasSize(1);
    containers.stop(id, Duration.ZERO);
    fails(Reason.NOT_FOUND, () -> containers.usage(id), "does not run");
    assertThat(containers.usages(ContainerFilter.ALL)).isEmpty();
  }

  @Test
  void limitsCanBeChanged() throws IOException {
    String id = machine.start(sandbox, shell("main", "sleep 1000"));
    containers.update(id, LinuxResources.NONE.withMemory(50 << 20, 0).withCpu(0, 0, 512));
    Path group = Path.of("/sys/fs/cgroup/memory" + containers.status(id).cgroup());
    if (Files.exists(group)) {
      assertThat(Files.readString(group.resolve("memory.limit_in_bytes")).strip())
          .isEqualTo(Long.toString(50 << 20));
    }
    assertThat(containers.status(id).resources().cpuShares()).isEqualTo(512);
    fails(
        Reason.FAILED,
        () ->
            containers.update(
                id, new LinuxResources(0, 0, 0, 0, 0, "not-a-set", "", List.of(), Map.of(), 0)),
        "update failed");
    assertThat(containers.status(id).resources().cpusetCpus()).isEmpty();
    assertThat(containers.status(id).resources().memoryLimit()).isEqualTo(50 << 20);
    containers.stop(id, Duration.ZERO);
    fails(Reason.NOT_READY, () -> containers.update(id, LinuxResources.NONE), "has exited");
  }

  /** kubernetes#64760: no line is lost or cut when a log is rotated. */
  @Test
  void logsAreReopened() throws IOException {
    String id =
        machine.start(
            sandbox, shell("main", "i=0; while :; do echo line $i; i=$((i+1)); sleep 0.005; done"));
    Path log = Path.of(containers.status(id).logPath());
    Eventually.await("some lines", () -> TestContainers.read(log).lines().count() > 3);
    Path old = log.resolveSibling("main.log.old");
    Files.move(log, old);
    containers.reopenLog(id);
    assertThat(log).exists();
    Eventually.await("more lines", () -> TestContainers.read(log).lines().count() > 3);
    containers.stop(id, Duration.ZERO);
    List<String> lines = new ArrayList<>();
    for (Path file : List.of(old, log)) {
      for (String line : Files.readAllLines(file)) {
        assertThat(line).matches("\\S+T\\S+ stdout F line \\d+");
        lines.add(line.substring(line.lastIndexOf(' ') + 1));
      }
    }
    for (int i = 0; i < lines.size(); i++) {
      assertThat(lines.get(i)).isEqualTo(Integer.toString(i));
    }
    Files.delete(log);
    fails(Reason.NOT_READY, () -> containers.reopenLog(id), "not running");
    assertThat(log).doesNotExist();
  }

  @Test
  void bothStreamsAreLogged() {
    String id = machine.start(sandbox, shell("main", "echo out; echo err >&2; printf rest"));
    ContainerStatus end = machine.awaitExit(id);
    assertThat(TestContainers.read(Path.of(end.logPath())).lines().map(it -> it.substring(36)))
        .containsExactlyInAnyOrder("stdout F out", "stderr F err", "stdout P rest");
    assertThat(end.logPath()).isEqualTo(machine.logs("web").resolve("main.log").toString());
    String silent =
        machine.start(
            sandbox,
            ContainerConfig.of("silent", 0, "busybox").command(List.of("/bin/true"), List.of()));
    assertThat(machine.awaitExit(silent).logPath()).isEmpty();
  }

  @Test
  void namesMayBeAlmostAnything() {
    String name = "PodSandbox-for-create-test_$é " + "x".repeat(150);
    String pod =
        machine
            .pods()
            .run(
                PodConfig.of(new PodMetadata(name, "Ns_1", "UID_2", 2))
                    .network(NamespaceMode.NODE)
                    .build(),
                "");
    String id =
        machine.start(
            pod, ContainerConfig.of(name, 2, "busybox").command(List.of("/bin/true"), List.of()));
    assertThat(machine.awaitExit(id).config().metadata().name()).isEqualTo(name);
    assertThat(machine.pods().ofPod("Ns_1", name)).containsExactly(pod);
    machine.pods().remove(pod);
    assertThat(machine.pods().ofPod("Ns_1", name)).isEmpty();
  }

  /**
   * Debian's crun refuses machines that have both versions of cgroups, so one is hidden from it.
   */
  @Test
  void crunRunsContainersToo() {
    Path crun = machine.folder().resolve("bin/crun");
    TestNode.executable(
        crun,
        """
        exec unshare -m sh -c 'umount /sys/fs/cgroup/unified 2>/dev/null; exec /usr/bin/crun "$@"' crun "$@\"""");
    machine.restart(TestContainers.settings(machine.folder()).runtime(crun, List.of()));
    containers = machine.containers();
    String id =
        machine.start(
            sandbox,
            shell("main", "trap 'exit 7' TERM; echo started; while :; do sleep 0.05; done"));
    Eventually.await("its output", () -> printed(containers.status(id)).equals("started\n"));
    assertThat(machine.exec(id, "echo", "hello")).isEqualTo("hello\n");
    containers.stop(id, LONG);
    assertThat(containers.status(id).exitCode()).isEqualTo(7);
    containers.remove(id);
    ContainerConfig missing =
        ContainerConfig.of("main", 0, "busybox").command(List.of("/no/such"), List.of()).build();
    fails(Reason.FAILED, () -> machine.create(sandbox, missing), "/no/such");
  }
}
