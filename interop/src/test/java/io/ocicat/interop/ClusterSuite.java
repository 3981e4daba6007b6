package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Clusters as users run them; nothing of them is left on the machine. */
abstract class ClusterSuite {
  static final Duration LIMIT = Duration.ofMinutes(3);

  @TempDir Path directory;

  @SuppressWarnings("NullAway.Init") // by install
  Path launcher;

  @SuppressWarnings("NullAway.Init") // by install
  private Set<String> before;

  @BeforeEach
  void install() throws IOException {
    launcher = PluginDirectory.withShims(directory).resolve("bin/ocicat");
    before = traces();
  }

  @AfterEach
  void nothingIsLeftOnTheMachine() {
    assertThat(cluster("down").attempt().exitCode()).isZero();
    assertThat(traces()).isEqualTo(before);
    assertThat(directory.toFile().list()).containsExactly("distribution");
  }

  /**
   * Processes, mounts and links of clusters, by names that nothing else on the machine has. Each
   * cluster's processes name this test's distribution.
   */
  private Set<String> traces() {
    Set<String> found = new TreeSet<>();
    ProcessHandle.allProcesses()
        .filter(process -> commandLine(process).contains(directory.toString()))
        .forEach(process -> found.add("process " + process.pid()));
    Command.of("cat", "/proc/self/mounts")
        .run()
        .stdout()
        .lines()
        .filter(line -> line.contains("ocicat-cluster"))
        .forEach(found::add);
    found.addAll(
        Command.of("ip", "-j", "link").run().json().findValuesAsString("ifname").stream()
            .filter(name -> name.matches("underlay0|outside0|port\\d+|vxlan.calico"))
            .collect(Collectors.toSet()));
    return found;
  }

  private static String commandLine(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
    } catch (IOException _) {
      return "";
    }
  }

  final Command cluster(String... args) {
    List<String> argv = new ArrayList<>(List.of(launcher.toString(), "cluster"));
    argv.addAll(List.of(args));
    return Command.of(argv)
        .env("OCICAT_RUN_DIR", directory.resolve("run").toString())
        .env("NO_COLOR", "1")
        .limit(LIMIT);
  }

  final Output on(String where, String... command) {
    List<String> args = new ArrayList<>(List.of("exec", where, "--"));
    args.addAll(List.of(command));
    return cluster(args.toArray(String[]::new)).run();
  }

  final void assertConnected(int pairs, int mtu) {
    Output printed = cluster("connectivity", "--json").attempt();
    assertThat(printed.exitCode()).as(printed.toString()).isZero();
    JsonNode all = printed.json();
    assertThat(all).hasSize(pairs);
    for (JsonNode pair : all) {
      assertThat(pair.path("ok").asBoolean()).as(pair.toString()).isTrue();
      boolean ofPod = (pair.path("from").asString() + pair.path("to").asString()).contains("/");
      assertThat(pair.path("mtu").asInt()).as(pair.toString()).isEqualTo(ofPod ? mtu : 1500);
    }
  }
}
