package io.ocicat.cni.exec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

/** The input and output of a plugin's process. */
@Timeout(60)
class ProcessExecTest {
  private final ProcessExec exec = new ProcessExec();
  @TempDir private Path directory;
  private Scripts scripts;

  @BeforeEach
  void writeScriptsHere() {
    scripts = new Scripts(directory);
  }

  @Test
  void deliversStdinAndReturnsStdout() {
    Path cat = scripts.write("cat", "cat");
    PluginReply reply = exec.run(Scripts.invocation(cat, Verb.ADD, "{\"name\":\"ünï\"}"));
    assertThat(reply.exitCode()).isZero();
    assertThat(new String(reply.stdout(), UTF_8)).isEqualTo("{\"name\":\"ünï\"}");
    assertThat(reply.stderr()).isEmpty();
  }

  @Test
  void deliversExactlyTheGivenEnvironment() {
    Path env = scripts.write("env", "/usr/bin/env");
    Map<String, String> environment =
        Map.of("CNI_COMMAND", "ADD", "CNI_ARGS", "", "CNI_IFNAME", "eth 0=x");
    PluginReply reply = exec.run(new Invocation(env, environment, new byte[0], Scripts.PLENTY));
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
  void refusesToGarbleWhatTheLocaleCannotWrite() {
    Path any = scripts.write("any", "exit 0");
    Command probe =
        Command.of(
                System.getProperty("java.home") + "/bin/java",
                "-cp",
                System.getProperty("java.class.path"),
                LocaleProbe.class.getName())
            .env("PROBED", any.toString());
    assertThat(probe.env("LC_ALL", "C.UTF-8").run().stdout()).isEqualTo("fine\n");
    assertThat(probe.env("LC_ALL", "C").run().stdout())
        .contains("cannot be in an environment", "set LC_ALL=C.UTF-8");
  }

  /** Runs the plugin PROBED with a non-ASCII letter. */
  static final class LocaleProbe {
    private LocaleProbe() {}

    static void main() {
      Path plugin = Path.of(System.getenv().getOrDefault("PROBED", ""));
      Map<String, String> environment = Map.of("CNI_ARGS", "K=\u00fc");
      try {
        new ProcessExec().run(new Invocation(plugin, environment, new byte[0], Scripts.PLENTY));
        System.out.println("fine");
      } catch (CniException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void keepsStderrApart() {
    PluginReply reply = exec.run(Scripts.add(scripts.write("both", "echo out", "echo err >&2")));
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
    PluginReply reply = exec.run(Scripts.add(huge));
    assertThat(reply.exitCode()).isZero();
    assertThat(reply.stdout()).hasSize(CniJson.MAX_BYTES + 1).containsOnly('o');
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
    PluginReply reply = exec.run(Scripts.invocation(count, Verb.ADD, "x".repeat(1_000_000)));
    assertThat(new String(reply.stdout(), UTF_8).strip()).isEqualTo("1000000");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4096, 1_000_000})
  void aPluginThatNeverReadsStdinIsNoProblem(int size) {
    Path deaf = scripts.write("deaf", "exec 0<&-", "echo '{}'");
    PluginReply reply = exec.run(Scripts.invocation(deaf, Verb.ADD, "x".repeat(size)));
    assertThat(reply.exitCode()).isZero();
    assertThat(new String(reply.stdout(), UTF_8)).isEqualTo("{}\n");
  }

  @Test
  void outputThatIsNotUtf8IsTolerated() {
    PluginReply reply =
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
    List<Future<PluginReply>> replies = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 40; i++) {
        String stdin = Integer.toString(i).repeat(40_000);
        replies.add(threads.submit(() -> exec.run(Scripts.invocation(cat, Verb.ADD, stdin))));
      }
    }
    Set<String> processes = new HashSet<>();
    for (int i = 0; i < replies.size(); i++) {
      PluginReply reply = replies.get(i).get();
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
    PluginReply reply = exec.run(new Invocation(env, environment, new byte[0], Scripts.PLENTY));
    assertThat(new String(reply.stdout(), UTF_8).lines())
        .contains("PATH=" + System.getenv("PATH"), "CNI_COMMAND=ADD");
  }

  private static long openDescriptors() {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
