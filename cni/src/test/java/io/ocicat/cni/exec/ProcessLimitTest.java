package io.ocicat.cni.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nobody waits for a plugin beyond its limit. Every sleeping process here sleeps far longer than
 * its test may take.
 */
@Timeout(60)
class ProcessLimitTest {
  /** Enough for a shell to start on a loaded machine. */
  private static final Duration SHORT = Duration.ofSeconds(1);

  private static final Duration GRACE = Duration.ofMillis(200);

  private final ProcessExec exec = new ProcessExec(GRACE);
  @TempDir private Path directory;
  private Scripts scripts;

  @BeforeEach
  void writeScriptsHere() {
    scripts = new Scripts(directory);
  }

  @Test
  void textFileBusyIsTriedAgain() throws IOException {
    Path script = scripts.write("busy", "echo '{}'");
    CompletableFuture<PluginReply> running;
    try (FileChannel writer = FileChannel.open(script, StandardOpenOption.WRITE)) {
      assertThat(writer.isOpen()).isTrue();
      running = CompletableFuture.supplyAsync(() -> exec.run(Scripts.add(script)));
      // An attempt is invisible from outside; without one the test still holds.
      sleep(Duration.ofMillis(100));
      assertThat(running).isNotDone();
    }
    assertThat(running.join().exitCode()).isZero();
  }

  @Test
  void aFileThatStaysBusyIsAnError() throws IOException {
    Path script = scripts.write("busy", "echo '{}'");
    try (FileChannel writer = FileChannel.open(script, StandardOpenOption.WRITE)) {
      assertThat(writer.isOpen()).isTrue();
      assertThatThrownBy(() -> exec.run(Scripts.limited(Scripts.add(script), SHORT)))
          .hasMessageContaining("text file busy; it is still being written to");
    }
  }

  @Test
  void whatTakesTooLongIsAskedToEnd() {
    Path slow =
        scripts.write(
            "slow", "trap 'echo cleaning up >&2; exit 1' TERM", "echo started >&2", sleepForever());
    ProcessExec patient = new ProcessExec(Duration.ofSeconds(20));
    assertThatThrownBy(() -> patient.run(Scripts.limited(Scripts.add(slow), SHORT)))
        .isInstanceOfSatisfying(
            CniException.class,
            e -> {
              assertThat(e.is(ErrorCode.UNKNOWN)).isTrue();
              assertThat(e.msg())
                  .isEqualTo(
                      "netplugin failed with no error message: not finished after 1 s: stopped"
                          + " with SIGTERM");
              // Between the two the shell may report that its sleeping child was terminated as
              // well.
              assertThat(e.details())
                  .startsWith("plugin %s, ADD, stderr \"started\\n".formatted(slow))
                  .endsWith("cleaning up\\n\"");
            });
  }

  @Test
  void whatIgnoresTheRequestIsKilled() {
    Path stubborn = scripts.write("stubborn", "trap '' TERM", sleepForever(), sleepForever());
    assertThatThrownBy(() -> exec.run(Scripts.limited(Scripts.add(stubborn), SHORT)))
        .hasMessageContaining("did not end 200 ms after SIGTERM, killed with SIGKILL");
  }

  @Test
  void itsChildrenDieWithIt() throws IOException {
    Path pids = directory.resolve("pids");
    Path parent =
        scripts.write(
            "parent",
            "(trap '' TERM; sh -c 'echo $$ >> %s; trap \"\" TERM; sleep 600; sleep 600') &"
                .formatted(pids),
            "echo $! >> " + pids,
            "wait");
    assertThatThrownBy(() -> exec.run(Scripts.limited(Scripts.add(parent), SHORT)))
        .hasMessageContaining("killed with SIGKILL");
    assertThat(Files.readAllLines(pids)).hasSize(2).allSatisfy(ProcessLimitTest::isGone);
  }

  @Test
  void aGrandchildThatKeepsThePipesOpenDoesNotMakeUsWait() throws IOException {
    Path pid = directory.resolve("pid");
    Path leaver =
        scripts.write(
            "leaver", "sleep 600 &", "echo $! > " + pid, "echo '{}'", "echo done >&2", "exit 0");
    try {
      PluginReply reply = exec.run(Scripts.invocation(leaver, Verb.ADD, "x".repeat(100_000)));
      assertThat(new String(reply.stdout(), UTF_8)).isEqualTo("{}\n");
      assertThat(reply.stderr()).isEqualTo("done\n");
    } finally {
      kill(Files.readString(pid).strip());
    }
  }

  @Test
  void aGrandchildThatFloodsStdoutDoesNotMakeUsWait() throws IOException {
    Path pid = directory.resolve("pid");
    Path leaver = scripts.write("leaver", "yes & echo $! > " + pid, "sleep 0.1", "exit 0");
    try {
      PluginReply reply = exec.run(Scripts.add(leaver));
      assertThat(reply.exitCode()).isZero();
      assertThat(reply.stdout().length).isLessThanOrEqualTo(CniJson.MAX_BYTES + 1);
      Eventually.passes(Duration.ofSeconds(5), () -> isGone(read(pid)));
    } finally {
      kill(read(pid));
    }
  }

  @Test
  void interruptingTheCallerStopsThePlugin() throws Exception {
    Path pid = directory.resolve("pid");
    Path slow = scripts.write("slow", "echo $$ > " + pid, sleepForever());
    CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    exec.run(Scripts.add(slow));
                    stillInterrupted.complete(false);
                  } catch (CniException e) {
                    stillInterrupted.complete(
                        e.msg().endsWith("interrupted") && Thread.currentThread().isInterrupted());
                  }
                });
    Eventually.await("the plugin to start", () -> Files.exists(pid) && !read(pid).isEmpty());
    caller.interrupt();
    assertThat(stillInterrupted.get()).isTrue();
    isGone(read(pid));
  }

  private static String sleepForever() {
    return "sleep 600 & wait $!";
  }

  private static void isGone(String pid) {
    assertThat(ProcessHandle.of(Long.parseLong(pid)).filter(ProcessLimitTest::isRunning)).isEmpty();
  }

  private static boolean isRunning(ProcessHandle process) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      return process.isAlive() && !stat.contains(") Z ");
    } catch (IOException _) {
      return false;
    }
  }

  private static void kill(String pid) {
    ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException _) {
      return "";
    }
  }

  private static void sleep(Duration duration) {
    try {
      Thread.sleep(duration);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
