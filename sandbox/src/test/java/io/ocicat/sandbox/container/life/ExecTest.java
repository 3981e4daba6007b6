package io.ocicat.sandbox.container.life;

import static io.ocicat.sandbox.TestContainers.printed;
import static io.ocicat.sandbox.TestContainers.shell;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.TestContainers;
import io.ocicat.sandbox.TestNode;
import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerIo;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.container.ExecResult;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands in containers and clients that are attached to them. */
@Hosts
@Timeout(120)
class ExecTest {
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

  private String idle() {
    return machine.start(
        sandbox, shell("idle", "sleep 1000").env(Map.of("COLOUR", "blue")).workingDir("/tmp"));
  }

  private ExecResult sync(String id, String script) {
    return containers.execSync(id, List.of("/bin/sh", "-c", script), LONG);
  }

  @Test
  void aCommandRunsToItsEnd() {
    String id = idle();
    ExecResult result = sync(id, "echo $COLOUR in $(pwd); printf half; echo problem >&2; exit 3");
    assertThat(new String(result.stdout(), UTF_8)).isEqualTo("blue in /tmp\nhalf");
    assertThat(new String(result.stderr(), UTF_8)).isEqualTo("problem\n");
    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(sync(id, "true").stderr()).isEmpty();
    assertThat(sync(id, "kill -KILL $$").exitCode()).isEqualTo(137);
    assertThatThrownBy(() -> containers.execSync(id, List.of("/no/such"), LONG))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FAILED))
        .hasMessageContaining("/no/such");
    assertThatThrownBy(() -> containers.execSync(id, List.of(), LONG))
        .hasMessageContaining("command is missing");
    containers.stop(id, Duration.ZERO);
    assertThatThrownBy(() -> sync(id, "true"))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_READY))
        .hasMessageContaining("not running");
  }

  /** kubernetes#110070, #92464: the process is gone, and the code says why. */
  @Test
  void aCommandThatTakesTooLongIsKilledWithItsGroup() {
    String id = idle();
    assertThatThrownBy(
            () ->
                containers.execSync(
                    id,
                    List.of("/bin/sh", "-c", "sleep 98763 & sleep 98763"),
                    Duration.ofSeconds(1)))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DEADLINE))
        .hasMessageContaining("timed out after 1 s");
    Eventually.await("the end of its group", () -> count("sleep 98763") == 0);
    assertThat(machine.traces()).noneMatch(line -> line.startsWith("run/c/exec"));
  }

  /** containerd#9568: a probe that starts something in the background has ended nevertheless. */
  @Test
  void childrenInTheBackgroundAreNotWaitedFor() {
    String id = idle();
    assertThat(new String(sync(id, "sleep 98764 & echo started").stdout(), UTF_8))
        .isEqualTo("started\n");
    assertThat(count("sleep 98764")).isEqualTo(1);
  }

  private static int count(String commandLine) {
    return Integer.parseInt(
        Command.of("pgrep", "-fc", "^" + commandLine).attempt().stdout().strip());
  }

  /** CVE-2022-31030: output is bounded, and what exceeds is dropped. */
  @Test
  void outputIsBounded() {
    String id = idle();
    ExecResult result = sync(id, "head -c 20000000 /dev/zero; echo end >&2");
    assertThat(result.exitCode()).isZero();
    assertThat(result.stdout().length + result.stderr().length)
        .isBetween(10 << 20, (16 << 20) - (64 << 10));
  }

  @Test
  void aClientTalksToACommand() throws Exception {
    String id = idle();
    try (ContainerIo io =
        containers.exec(
            id,
            List.of("/bin/sh", "-c", "read a; echo got $a; echo bad >&2; cat; exit 4"),
            false,
            true)) {
      io.stdin().write("hello\n".getBytes(UTF_8));
      StringBuilder seen = new StringBuilder();
      expect(io, seen, "got hello\n");
      io.stdin().write("rest".getBytes(UTF_8));
      io.stdin().close();
      assertThat(text(io.stdout())).isEqualTo("rest");
      assertThat(text(io.stderr())).isEqualTo("bad\n");
      assertThat(io.await()).isEqualTo(4);
    }
    try (ContainerIo io = containers.exec(id, List.of("cat"), false, false)) {
      assertThat(text(io.stdout())).isEmpty();
      assertThat(io.await()).isZero();
    }
    Eventually.await(
        "its files", () -> machine.traces().stream().noneMatch(it -> it.startsWith("run/c/exec")));
  }

  @Test
  void aClientHasATerminal() throws Exception {
    String id = idle();
    try (ContainerIo io =
        containers.exec(
            id,
            List.of(
                "/bin/sh",
                "-c",
                "tty; echo $TERM; read a; until [ \"$(stty size)\" = '40 100' ]; do :; done; stty size;"
                    + " trap 'exit 5' WINCH; read b"),
            true,
            true)) {
      // runc may apply it after the command has begun.
      io.resize(100, 40);
      StringBuilder seen = new StringBuilder();
      expect(io, seen, "/dev/pts/0\r\nxterm\r\n");
      io.stdin().write("x\n".getBytes(UTF_8));
      io.stdin().flush();
      expect(io, seen, "40 100\r\n");
      io.resize(80, 20);
      io.stdin().write("\n".getBytes(UTF_8));
      assertThat(io.await()).isIn(0, 5);
      assertThat(io.stdout().readAllBytes()).isNotNull();
    }
  }

  private static void expect(ContainerIo io, StringBuilder seen, String words) throws IOException {
    byte[] buffer = new byte[1000];
    while (seen.indexOf(words) < 0) {
      int count = io.stdout().read(buffer);
      assertThat(count).as("after %s", seen).isPositive();
      seen.append(new String(buffer, 0, count, UTF_8));
    }
  }

  @Test
  void aClosedClientGetsNothingMore() throws Exception {
    String id = idle();
    ContainerIo io = containers.exec(id, List.of("cat"), true, true);
    Thread closer =
        Thread.ofVirtual()
            .start(
                () -> {
                  Eventually.await("the command", () -> count("cat") > 0);
                  io.close();
                });
    assertThat(text(io.stdout())).isEmpty();
    closer.join();
    // Its terminal hung up.
    io.await();
  }

  private static String text(InputStream in) throws IOException {
    return new String(in.readAllBytes(), UTF_8);
  }

  @Test
  void aClientAttaches() throws Exception {
    String id =
        machine.start(
            sandbox,
            shell("main", "while read a; do echo got $a; echo bad $a >&2; done; echo end; exit 2")
                .stdin(true, true));
    try (ContainerIo io = containers.attach(id, true)) {
      io.stdin().write("one\n".getBytes(UTF_8));
      StringBuilder seen = new StringBuilder();
      expect(io, seen, "got one\n");
      io.stdin().write("two\n".getBytes(UTF_8));
      io.stdin().close();
      seen.append(text(io.stdout()));
      assertThat(seen.toString()).isEqualTo("got one\ngot two\nend\n");
      assertThat(text(io.stderr())).isEqualTo("bad one\nbad two\n");
      assertThat(io.await()).isZero();
    }
    assertThat(machine.awaitExit(id).exitCode()).isEqualTo(2);
    assertThat(printed(containers.status(id))).contains("got one\n", "bad two\n", "end\n");
    assertThatThrownBy(() -> containers.attach(id, false)).hasMessageContaining("not running");
  }

  @Test
  void aClientAttachesToATerminal() throws Exception {
    String id =
        machine.start(
            sandbox,
            ContainerConfig.of("main", 0, "busybox")
                .command(
                    List.of("/bin/sh", "-c", "read a; stty size; read b; echo got $b"), List.of())
                .stdin(true, false)
                .tty(true));
    try (ContainerIo io = containers.attach(id, true)) {
      io.resize(90, 30);
      StringBuilder seen = new StringBuilder();
      // conmon sets the size in its own time.
      long pid = containers.status(id).pid();
      Eventually.await(
          "the size",
          () ->
              Command.of("stty", "-F", "/proc/%d/root/dev/console".formatted(pid), "size")
                  .attempt()
                  .stdout()
                  .equals("30 90\n"));
      io.stdin().write("x\n".getBytes(UTF_8));
      expect(io, seen, "30 90\r\n");
      io.stdin().write("y\n".getBytes(UTF_8));
      expect(io, seen, "got y\r\n");
    }
    machine.awaitExit(id);
  }

  /** containerd#7802: stuck commands do not pile up without limit. */
  @Test
  void onlySoManyCommandsRunAtATime() {
    String id = idle();
    List<ContainerIo> open = new ArrayList<>();
    try {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100; i++) {
                  open.add(containers.exec(id, List.of("cat"), false, true));
                }
              })
          .isInstanceOfSatisfying(
              SandboxException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BUSY))
          .hasMessageContaining("32 commands");
    } finally {
      open.forEach(ContainerIo::close);
    }
    Eventually.await(
        "their end",
        LONG,
        () -> machine.traces().stream().noneMatch(it -> it.startsWith("run/c/exec")));
    assertThat(sync(id, "true").exitCode()).isZero();
  }
}
