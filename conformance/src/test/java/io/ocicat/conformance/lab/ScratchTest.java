package io.ocicat.conformance.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.subject.PluginUnderTest;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Labs are separate from the machine and from each other, and nothing is left of them. */
@Hosts
class ScratchTest {
  private static final Path NAMESPACES = Path.of("/run/netns");
  private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

  @Test
  void everythingIsGoneAfterwards() throws IOException {
    List<String> before = traces();
    try (Scratch scratch = Scratch.open(subject("bridge"));
        Lab lab = scratch.lab(ClaimedVersions.of(List.of("1.0.0")))) {
      lab.attach();
      assertThat(lab.container().namespace().hasLink("eth0")).isTrue();
      assertThat(lab.host().hasLink("cnf0")).isTrue();
      assertThat(lab.files().about(lab.container())).isNotEmpty();
      assertThat(traces()).hasSizeGreaterThan(before.size());
    }
    assertThat(traces()).isEqualTo(before);
  }

  @Test
  void theMachineItselfIsNotTouched() {
    String before = machine();
    try (Scratch scratch = Scratch.open(subject("bridge"));
        Lab lab = scratch.lab(ClaimedVersions.of(List.of("1.0.0")))) {
      lab.attach();
      assertThat(machine()).isEqualTo(before);
    }
    assertThat(machine()).isEqualTo(before);
  }

  @Test
  void whatAKilledRunLeftIsRemovedByTheNext() throws Exception {
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    String name = "cnf-%d-abc123-1".formatted(gone.pid());
    // It goes back to where it came from, which only root of the machine may do with the machine's.
    Command.of("unshare", "--net", "ip", "netns", "add", name + "-1-host").run();
    Path directory = Files.createDirectory(TEMPORARY.resolve(name));
    Files.writeString(directory.resolve("launcher"), "");

    Scratch.open(subject("static")).close();

    assertThat(NAMESPACES.resolve(name + "-1-host")).doesNotExist();
    assertThat(directory).doesNotExist();
  }

  @Test
  void aLivingRunsLabsAreLeftAlone() throws IOException {
    try (Scratch scratch = Scratch.open(subject("static"));
        Lab lab = scratch.lab(ClaimedVersions.NONE)) {
      Scratch.open(subject("static")).close();
      assertThat(lab.host().path()).exists();
      assertThat(scratch.directory()).isNotEmptyDirectory();
    }
  }

  @Test
  void aBorrowedNamespaceKeepsItsLinksAndLosesTheOthers(Host pod) {
    pod.exec("ip", "link", "add", "mine", "type", "bridge");
    try (Scratch scratch = Scratch.open(subject("bridge").netns(pod.path()));
        Lab lab = scratch.lab(ClaimedVersions.of(List.of("1.0.0")))) {
      AddedContainer attached = lab.attach();
      assertThat(attached.container().namespace().path()).isEqualTo(pod.path());
      assertThat(links(pod)).containsExactlyInAnyOrder("lo", "mine", "eth0");
    }
    assertThat(pod.path()).exists();
    assertThat(links(pod)).containsExactlyInAnyOrder("lo", "mine");
  }

  @Test
  void aProcessThatThePluginLeavesIsFoundAndEnded() {
    try (Scratch scratch = Scratch.open(subject("static"))) {
      Process left;
      try (Lab lab = scratch.lab(ClaimedVersions.NONE)) {
        Process process = start("nsenter", "--net=" + lab.host().path(), "sleep", "60");
        left = process;
        // It has to get there first.
        Eventually.passes(
            Duration.ofSeconds(10),
            () -> assertThat(lab.strayProcesses()).contains(process.toHandle()));
      }
      assertThat(left.onExit().join().exitValue()).isEqualTo(137);
    }
  }

  @Test
  void aChainedPluginFindsWhatItsPreviousResultSays() {
    try (Scratch scratch = Scratch.open(subject("portmap"));
        Lab lab = scratch.lab(ClaimedVersions.of(List.of("1.0.0")))) {
      LabContainer first = lab.container();
      LabContainer second = lab.newContainer();

      assertThat(first.namespace().addresses("eth0")).hasToString("[10.89.0.2/24]");
      assertThat(second.namespace().addresses("eth0")).hasToString("[10.89.1.2/24]");
      assertThat(
              lab.config(SpecVersion.V1_0_0, second).at("/prevResult/interfaces/1/mac").asString())
          .isEqualTo(second.namespace().link("eth0").orElseThrow().mac() + "");
      lab.removeVeth(first);
      assertThat(first.namespace().hasLink("eth0")).isFalse();
      assertThat(first.before().changesUntil(first.namespace().snapshot())).isEmpty();
      lab.restoreVeth(first);
      assertThat(first.namespace().hasLink("eth0")).isTrue();
    }
  }

  private static PluginUnderTest subject(String plugin) {
    return PluginUnderTest.of(Path.of("/usr/lib/cni", plugin), Optional.empty(), Optional.empty());
  }

  private static Process start(String... command) {
    try {
      return new ProcessBuilder(command).start();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> links(Host host) {
    return host.json("ip", "-j", "link")
        .valueStream()
        .map(l -> l.get("ifname").asString())
        .toList();
  }

  /** Links and addresses of the namespace the tests run in, without counters and lifetimes. */
  private static String machine() {
    return Command.of("ip", "-o", "link").run().stdout()
        + Command.of("ip", "-o", "-4", "address").run().stdout()
        + Command.of("ip", "route").run().stdout();
  }

  private static List<String> traces() throws IOException {
    try (Stream<Path> namespaces = Files.list(NAMESPACES);
        Stream<Path> directories = Files.list(TEMPORARY)) {
      String mine = "cnf-%d-".formatted(ProcessHandle.current().pid());
      return Stream.concat(namespaces, directories)
          .map(path -> path.getFileName().toString())
          .filter(name -> name.startsWith(mine))
          .sorted()
          .toList();
    }
  }
}
