package io.ocicat.cni.exec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.json.Json;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every process here that sleeps does so far longer than its test may take. */
@Timeout(60)
class ProcessExecTest {
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final Duration GRACE = Duration.ofMillis(200);

  private final ProcessExec exec = new ProcessExec(GRACE);
  @TempDir private Path directory;
  private Scripts scripts;

  @BeforeEach
  void writeScriptsHere() {
    scripts = new Scripts(directory);
  }

  @Test
  void deliversStdinAndReturnsStdout() {
    Path cat = scripts.write("cat", "cat");
    Reply reply = exec.run(Scripts.ask(cat, Verb.ADD, "{\"name\":\"ünï\"}"));
    assertThat(reply.exitCode()).isZero();
    assertThat(new String(reply.stdout(), UTF_8)).isEqualTo("{\"name\":\"ünï\"}");
    assertThat(reply.stderr()).isEmpty();
  }

  @Test
  void deliversExactlyTheGivenEnvironment() {
    Path env = scripts.write("env", "/usr/bin/env");
    Map<String, String> environment =
        Map.of("CNI_COMMAND", "ADD", "CNI_ARGS", "", "CNI_IFNAME", "eth 0=x");
    Reply reply = exec.run(new Invocation(env, environment, new byte[0], Scripts.PLENTY));
    assertThat(new String(reply.stdout(), UTF_8).lines())
        .contains("CNI_COMMAND=ADD", "CNI_ARGS=", "CNI_IFNAME=eth 0=x")
        .noneMatch(line -> line.startsWith("HOME=") || line.startsWith("JAVA_HOME="));
  }

  @Test
  void refusesAnEnvironmentThatCannotBe() {
    Path any = scripts.write("any", "exit 0");
    Map<String, String> environment = Map.of("CNI_NETNS", "/run/\0");
    assertThatThrownBy(
            () -> exec.run(new Invocation(any, environment, new byte[0], Scripts.PLENTY)))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.is(ErrorCode.INVALID_ENVIRONMENT)).isTrue())
        .hasMessageContaining("\"CNI_NETNS\"=\"/run/\\x00\" cannot be in an environment");
  }

  @Test
  void keepsStderrApart() {
    Reply reply = exec.run(Scripts.add(scripts.write("both", "echo out", "echo err >&2")));
    assertThat(new String(reply.stdout(), UTF_8)).isEqualTo("out\n");
    assertThat(reply.stderr()).isEqualTo("err\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 127, 255})
  void reportsTheExitCode(int code) {
    assertThat(exec.run(Scripts.add(scripts.write("ends", "exit " + code))).exitCode())
        .isEqualTo(code);
  }

  @Test
  void crashBySignalIsReported() {
    assertThat(exec.run(Scripts.add(scripts.write("crash", "kill -SEGV $$"))).exitCode())
        .isEqualTo(128 + 11);
  }

  @Test
  void hugeOutputIsDrainedAndBounded() {
    Path huge =
        scripts.write(
            "huge",
            "head -c 3000000 /dev/zero | tr '\\0' e >&2",
            "head -c 9000000 /dev/zero | tr '\\0' o",
            "echo the end >&2");
    Reply reply = exec.run(Scripts.add(huge));
    assertThat(reply.exitCode()).isZero();
    assertThat(reply.stdout()).hasSize(Json.MAX_BYTES + 1).containsOnly('o');
    assertThat(reply.stderr()).hasSizeBetween(1 << 19, 1 << 20).endsWith("ethe end\n");
  }

  @Test
  void outputLargerThanAPipeArrivesWhole() {
    Path large = scripts.write("large", "head -c 1000000 /dev/zero | tr '\\0' o");
    assertThat(exec.run(Scripts.add(large)).stdout()).hasSize(1_000_000).containsOnly('o');
  }

  @Test
  void aRequestLargerThanAPipeArrivesWhole() {
    Path count = scripts.write("count", "wc -c");
    Reply reply = exec.run(Scripts.ask(count, Verb.ADD, "x".repeat(1_000_000)));
    assertThat(new String(reply.stdout(), UTF_8).strip()).isEqualTo("1000000");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4096, 1_000_000})
  void aPluginThatNeverReadsStdinIsNoProblem(int size) {
    Path deaf = scripts.write("deaf", "exec 0<&-", "echo '{}'");
    Reply reply = exec.run(Scripts.ask(deaf, Verb.ADD, "x".repeat(size)));
    assertThat(reply.exitCode()).isZero();
    assertThat(new String(reply.stdout(), UTF_8)).isEqualTo("{}\n");
  }

  @Test
  void outputThatIsNotUtf8IsTolerated() {
    Reply reply =
        exec.run(Scripts.add(scripts.write("bytes", "printf '\\377\\376'", "printf '\\377!' >&2")));
    assertThat(new String(reply.stdout(), ISO_8859_1)).isEqualTo("\u00ff\u00fe");
    assertThat(reply.stderr()).isEqualTo("\ufffd!");
  }

  @Test
  void nonExistentBinaryMentionsItsPath() {
    Path missing = directory.resolve("missing");
    assertThatThrownBy(() -> exec.run(Scripts.add(missing)))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.is(ErrorCode.UNKNOWN)).isTrue())
        .hasMessage(
            "netplugin failed with no error message: fork/exec %s: no such file or directory"
                .formatted(missing));
  }

  @Test
  void aFileThatMayNotBeExecutedIsRefused() throws IOException {
    Path plain = scripts.write("plain", "exit 0");
    Files.setPosixFilePermissions(plain, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> exec.run(Scripts.add(plain)))
        .hasMessageEndingWith("fork/exec %s: permission denied".formatted(plain));
  }

  /** The JDK would have the shell execute it: nothing to do, success. */
  @ParameterizedTest
  @ValueSource(strings = {"", "\0\0\0\0\0", "echo '{}'\n"})
  void aFileThatIsNoProgramIsRefused(String content) throws IOException {
    Path broken = scripts.write("broken");
    Files.writeString(broken, content);
    assertThatThrownBy(() -> exec.run(Scripts.add(broken)))
        .hasMessageContaining("fork/exec %s: exec format error".formatted(broken));
  }

  @Test
  void textFileBusyIsTriedAgain() throws IOException {
    Path script = scripts.write("busy", "echo '{}'");
    CompletableFuture<Reply> running;
    try (FileChannel writer = FileChannel.open(script, StandardOpenOption.WRITE)) {
      assertThat(writer.isOpen()).isTrue();
      running = CompletableFuture.supplyAsync(() -> exec.run(Scripts.add(script)));
      // Nothing tells from outside that an attempt was made; with none the test still holds.
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
    assertThatThrownBy(() -> exec.run(Scripts.limited(Scripts.add(slow), SHORT)))
        .isInstanceOfSatisfying(
            CniException.class,
            e -> {
              assertThat(e.is(ErrorCode.UNKNOWN)).isTrue();
              assertThat(e.msg())
                  .isEqualTo(
                      "netplugin failed with no error message: not finished after 300 ms: stopped"
                          + " with SIGTERM");
              // Between the two the shell may tell that its sleeping child was terminated as well.
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
    assertThat(Files.readAllLines(pids)).hasSize(2).allSatisfy(ProcessExecTest::isGone);
  }

  @Test
  void aGrandchildThatKeepsThePipesOpenDoesNotMakeUsWait() throws IOException {
    Path pid = directory.resolve("pid");
    Path leaver =
        scripts.write(
            "leaver", "sleep 600 &", "echo $! > " + pid, "echo '{}'", "echo done >&2", "exit 0");
    try {
      Reply reply = exec.run(Scripts.ask(leaver, Verb.ADD, "x".repeat(100_000)));
      assertThat(new String(reply.stdout(), UTF_8)).isEqualTo("{}\n");
      assertThat(reply.stderr()).isEqualTo("done\n");
    } finally {
      kill(Files.readString(pid).strip());
    }
  }

  @Test
  void aGrandchildThatFloodsStdoutDoesNotMakeUsWait() throws IOException {
    Path pid = directory.resolve("pid");
    Path leaver = scripts.write("leaver", "yes &", "echo $! > " + pid, "exit 0");
    try {
      Reply reply = exec.run(Scripts.add(leaver));
      assertThat(reply.exitCode()).isZero();
      assertThat(reply.stdout().length).isLessThanOrEqualTo(Json.MAX_BYTES + 1);
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

  @Test
  void leavesNoDescriptorOpen() throws IOException, ExecutionException, InterruptedException {
    Path both = scripts.write("both", "cat", "echo err >&2");
    exec.run(Scripts.add(both));
    long before = openDescriptors();
    for (int i = 0; i < 20; i++) {
      exec.run(Scripts.add(both));
    }
    Eventually.await("as many descriptors as before", () -> openDescriptors() <= before);
  }

  @Test
  void manyRunAtOnce() throws Exception {
    Path cat = scripts.write("cat", "cat", "echo $$ >&2");
    List<Future<Reply>> replies = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 40; i++) {
        String stdin = Integer.toString(i).repeat(40_000);
        replies.add(threads.submit(() -> exec.run(Scripts.ask(cat, Verb.ADD, stdin))));
      }
    }
    Set<String> processes = new HashSet<>();
    for (int i = 0; i < replies.size(); i++) {
      Reply reply = replies.get(i).get();
      assertThat(new String(reply.stdout(), UTF_8)).isEqualTo(Integer.toString(i).repeat(40_000));
      processes.add(reply.stderr());
    }
    assertThat(processes).hasSize(replies.size());
  }

  @Test
  void aDirectoryOrAPipeIsRefused() {
    assertThatThrownBy(() -> exec.run(Scripts.add(directory)))
        .hasMessageEndingWith("fork/exec %s: permission denied".formatted(directory));
    Path pipe = directory.resolve("pipe");
    Command.of("mkfifo", pipe.toString()).run();
    assertThatThrownBy(() -> exec.run(Scripts.add(pipe)))
        .hasMessageEndingWith("fork/exec %s: permission denied".formatted(pipe));
  }

  @Test
  void aBareNameIsNotLookedForInPath() {
    assertThatThrownBy(() -> exec.run(Scripts.add(Path.of("true"))))
        .hasMessageEndingWith("fork/exec true: no such file or directory");
  }

  @Test
  void inheritedVariablesStayAsTheyAre() {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("CNI_COMMAND", "ADD");
    Path env = scripts.write("env", "/usr/bin/env");
    Reply reply = exec.run(new Invocation(env, environment, new byte[0], Scripts.PLENTY));
    assertThat(new String(reply.stdout(), UTF_8).lines())
        .contains("PATH=" + System.getenv("PATH"), "CNI_COMMAND=ADD");
  }

  private static String sleepForever() {
    return "sleep 600 & wait $!";
  }

  private static void isGone(String pid) {
    assertThat(ProcessHandle.of(Long.parseLong(pid)).filter(ProcessExecTest::isRunning)).isEmpty();
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

  private static long openDescriptors() {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
