package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code ocicat demo} as the README shows it, its claims checked by other means than its own. */
class DemoTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir private Path directory;
  private Path launcher;
  private Set<String> links;

  @BeforeEach
  void install() throws IOException {
    launcher = PluginDirectory.withShims(directory).resolve("bin/ocicat");
    links = linksOfTheMachine();
  }

  @AfterEach
  void nothingIsLeftOnTheMachine() {
    demo("--end").attempt();
    assertThat(directory.toFile().list()).containsExactly("distribution");
    assertThat(linksOfTheMachine()).isEqualTo(links);
  }

  /** As in a terminal: a shell makes background processes, and their children, ignore Ctrl-C. */
  private Command demo(String... options) {
    List<String> argv =
        new ArrayList<>(List.of("env", "--default-signal=INT", launcher.toString(), "demo"));
    argv.addAll(List.of(options));
    return Command.of(argv)
        .env("XDG_RUNTIME_DIR", directory.toString())
        .env("NO_COLOR", "1")
        .limit(LIMIT);
  }

  /** By names that other tests' hosts, which come and go meanwhile, cannot have. */
  private static Set<String> linksOfTheMachine() {
    return StreamSupport.stream(Command.of("ip", "-j", "link").run().json().spliterator(), false)
        .map(link -> link.path("ifname").asString())
        .filter(name -> name.matches("cali.*|cbr0|cni0|bwp.*|eth.*"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"calico", "flannel"})
  void whatItSaysIsSo(String chain) {
    JsonNode facts =
        (chain.equals("flannel") ? demo("--keep", "--json", "--flannel") : demo("--keep", "--json"))
            .run()
            .json();
    long holder = facts.path("holder").asLong();

    assertThat(facts.path("pods")).hasSize(3);
    for (JsonNode pod : facts.path("pods")) {
      String address = pod.path("address").asString();
      assertThat(address).startsWith("10.65.");
      JsonNode eth0 =
          inPod(holder, pod, "ip", "-j", "address", "show", "eth0")
              .json()
              .path(0)
              .path("addr_info");
      assertThat(eth0.findValuesAsString("local")).contains(address);
      for (JsonNode other : facts.path("pods")) {
        inPod(holder, pod, "ping", "-c1", "-W5", other.path("address").asString());
      }
    }
    Set<String> owners =
        facts.path("leases").findValuesAsString("owner").stream()
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(owners).containsExactly("default/api", "default/db", "default/web");
    assertThat(
            onNode(holder, "nsenter", "--net=/run/netns/outside", "curl", "-s", "192.0.2.10:8080/")
                .stdout())
        .isEqualTo("Hello from a pod on Ocicat.\n");
    assertThat(facts.path("steps").findValuesAsString("step"))
        .contains("plugin", chain.equals("flannel") ? "delegate" : "ipam", "link");
    assertThat(facts.path("allocation").valueStream().map(JsonNode::asString).toList())
        .as("review U26: what IPAM did")
        .anyMatch(step -> step.startsWith(chain.equals("flannel") ? "lease " : "affinity host:"))
        .anyMatch(step -> step.startsWith("address 10.65."));
    assertThat(facts.path("hints")).isNotEmpty();
    for (JsonNode hint : facts.path("hints")) {
      assertThat(demo("--shell", "--", "sh", "-c", hint.asString()).run().stdout())
          .as("review U10: " + hint.asString())
          .isNotBlank();
    }

    JsonNode end = demo("--end", "--json").run().json();
    assertThat(end.path("left").isArray()).isTrue();
    assertThat(end.path("left")).isEmpty();
    assertThat(ProcessHandle.of(holder).filter(ProcessHandle::isAlive)).isEmpty();
  }

  private static Output onNode(long holder, String... command) {
    List<String> argv =
        new ArrayList<>(List.of("nsenter", "-t", String.valueOf(holder), "-m", "-n"));
    argv.addAll(List.of(command));
    return Command.of(argv).run();
  }

  private static Output inPod(long holder, JsonNode pod, String... command) {
    List<String> argv =
        new ArrayList<>(List.of("nsenter", "--net=" + pod.path("netns").asString()));
    argv.addAll(List.of(command));
    return onNode(holder, argv.toArray(String[]::new));
  }

  @Test
  void theNarrationIsPlainTextAndNothingIsLeft() {
    Output told = demo().run();
    assertThat(told.stdout().lines())
        .as("review U9: no line is wider than a terminal of 80 columns")
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
    assertThat(told.stdout())
        .contains("$ ocicat pod run web", "nothing is left of the pods")
        .contains("veth pair: eth0 in the pod, cali68caf03a5f4 on the node")
        .contains("pool pods, 10.65.0.0/16", "handle k8s-pod-network.")
        .contains("portmap ADD eth0", "ocicat_portmap", "create ifb")
        .doesNotContain("\u001b")
        .doesNotContain("left: ");
    assertThat(told.stderr()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT", "KILL"})
  void whoeverStopsItInTheMiddleLeavesNothing(String signal) {
    try (Background demo = demo().start()) {
      Eventually.await("a pod is up", LIMIT, () -> demo.stdout().contains("✓ web"));
      List<ProcessHandle> all =
          ProcessHandle.of(demo.pid()).stream().flatMap(ProcessHandle::descendants).toList();
      assertThat(all).hasSizeGreaterThan(2);
      Command.of("kill", "-" + signal, String.valueOf(demo.pid())).run();
      Eventually.await("it ended", LIMIT, () -> !demo.isAlive());
      Eventually.await("all ended", LIMIT, () -> all.stream().noneMatch(ProcessHandle::isAlive));
      if (signal.equals("INT")) {
        assertThat(demo.await(LIMIT).exitCode()).isEqualTo(130);
        assertThat(demo.stderr())
            .isEqualTo("ocicat: interrupted; everything is taken down, nothing is left\n");
      }
    }
  }

  /** Review U1: no ping, no ip, nothing that an installation of Debian can be without. */
  @Test
  void itNeedsNoProgramBeyondDebiansEssentialOnes(@TempDir Path programs) {
    BareMachine.linkProgramsInto(programs);
    Output told = demo().env("PATH", programs.toString()).attempt();
    // JUnit would warn of each.
    Command.of("find", programs.toString(), "-type", "l", "-delete").run();
    assertThat(told.stdout()).contains("web → db: answered after ", "nothing is left of the pods");
    assertThat(told.stderr()).isEmpty();
  }

  @Test
  void aCommandWithoutAShellIsRefused() {
    Output refused = demo("--", "ip", "route").attempt();
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.stderr()).contains("a command is only run with --shell: ip");
  }

  @Test
  void anEndWithoutADemoIsRefused() {
    Output none = demo("--end").attempt();
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.stderr())
        .isEqualTo("ocicat: no demo is up: start one with ./ocicat demo --keep\n");
  }
}
