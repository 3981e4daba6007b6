package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where no daemon runs, the first call starts one, which ends by itself. */
@Hosts
class OnDemandTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String STARTED = "daemon --on-demand:";

  @TempDir Path folder;

  private OnDemandDaemons started = new OnDemandDaemons(Path.of("/"));

  @BeforeEach
  void watch() {
    started = new OnDemandDaemons(folder);
  }

  @AfterEach
  void endDaemons() {
    started.close();
  }

  @Test
  void theFirstCallStartsADaemonForAllThatFollow(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);

    Output added = wanted(pod.add()).run();
    assertThat(added.stderr()).isEmpty();
    wanted(pod.mapPort(added)).run();
    wanted(pod.unmapPort()).run();
    wanted(pod.del()).run();

    assertThat(ocicat.oneShots()).as("the calls that the launcher got").hasSize(1);
    assertThat(ocicat.oneShots().getFirst()).startsWith(STARTED);
    assertThat(daemons()).hasSize(1);
    assertThat(environmentOf(daemons().getFirst()))
        .as("nothing of the call that started it")
        .noneMatch(variable -> variable.startsWith("CNI_"));
    assertThat(Path.of("/proc", daemons().getFirst(), "cwd")).satisfies(this::isRootDirectory);
    assertThat(networkOf(daemons().getFirst()))
        .as("from where the node's datastore is reached")
        .isEqualTo(host.exec("readlink", "/proc/self/ns/net").stdout().strip());
  }

  @Test
  void callsThatComeAtOnceStartOne(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    List<Background> calls = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      calls.add(wanted(new Pod(ocicat, container, "c" + i, 8080).del()).start());
    }
    for (Background call : calls) {
      assertThat(call.await(LIMIT).exitCode()).isZero();
    }
    assertThat(ocicat.oneShots()).singleElement().asString().startsWith(STARTED);
  }

  @Test
  void itEndsWhenNobodyCallsAndLeavesNothing(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    wanted(pod.del()).env("OCICAT_ON_DEMAND_IDLE", "1").run();

    Eventually.await("its end", LIMIT, () -> daemons().isEmpty());

    try (Stream<Path> left = Files.list(ocicat.run())) {
      assertThat(left.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("attachments.lock", "journal", "ocicatd.lock", "spool");
    }
    assertThat(Files.readString(ocicat.state().resolve("on-demand.log"))).contains("idle, ending");
    wanted(pod.del()).run();
    assertThat(daemons()).as("the next call starts the next one").hasSize(1);
  }

  @Test
  void whatWasPromisedKeepsItFromEnding(Host host, Host container)
      throws IOException, InterruptedException {
    Installation ocicat = Installation.in(folder, host);
    wanted(new Pod(ocicat, container, "c1", 8080).del()).env("OCICAT_ON_DEMAND_IDLE", "1").run();
    Path promise = ocicat.run().resolve("spool/promise");
    // A record that cannot be read as long as it is a directory, so that it is never finished.
    Files.createDirectory(promise);
    Thread.sleep(4000);
    assertThat(daemons()).hasSize(1);

    Files.delete(promise);
    Eventually.await("its end", LIMIT, () -> daemons().isEmpty());
  }

  @Test
  void oneThatIsKilledWhileItStartsIsStartedAgain(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Path first = folder.resolve("first");
    String real = Files.readString(ocicat.home().resolve("bin/ocicat"));
    Files.writeString(
        ocicat.home().resolve("bin/ocicat"),
        real.replaceFirst(
            "\n", "\n[ -e '%s' ] || { : >'%s'; kill -KILL \\$\\$; }\n".formatted(first, first)));
    assertThat(wanted(new Pod(ocicat, container, "c1", 8080).del()).run().stderr()).isEmpty();
    assertThat(first).exists();
    assertThat(daemons()).hasSize(1);
  }

  @Test
  void whereItCannotStartTheCallIsMadeWithoutOne(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("[ \"$1\" = plugin ] || exit 1; echo alone");
    Output output = wanted(new Pod(ocicat, container, "c1", 8080).add()).run();
    assertThat(output.stdout()).isEqualTo("alone\n");
    assertThat(ocicat.oneShots()).last().isEqualTo("plugin bridge:ADD:c1");
  }

  @Test
  void noneIsStartedWhereThatIsNotWantedOrNotSafe(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("echo alone");
    Pod pod = new Pod(ocicat, container, "c1", 8080);

    assertThat(pod.add().env("OCICAT_ON_DEMAND", "0").run().stdout()).isEqualTo("alone\n");

    Path mark = ocicat.home().resolve("cni/.ocicat-no-on-demand");
    Files.createFile(mark);
    assertThat(wanted(pod.add()).run().stdout()).isEqualTo("alone\n");
    Files.delete(mark);

    Command.of("chown", "65534", ocicat.run().toString()).run();
    assertThat(wanted(pod.add()).run().stdout()).isEqualTo("alone\n");
    Command.of("chown", "0", ocicat.run().toString()).run();
    Command.of("chmod", "777", ocicat.run().toString()).run();
    assertThat(wanted(pod.add()).run().stdout()).isEqualTo("alone\n");
    Command.of("chmod", "700", ocicat.run().toString()).run();

    Files.createFile(ocicat.run().resolve("shutting-down"));
    assertThat(wanted(pod.add()).run().stdout()).isEqualTo("alone\n");
    Files.delete(ocicat.run().resolve("shutting-down"));

    String inAnother = "unshare --mount \"$0\"";
    Installation elsewhere =
        ocicat.startedBy("unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", inAnother);
    assertThat(wanted(new Pod(elsewhere, container, "c1", 8080).add()).run().stdout())
        .as("in a mount namespace that nobody else is in")
        .isEqualTo("alone\n");
    assertThat(ocicat.oneShots()).hasSize(6).containsOnly("plugin bridge:ADD:c1");
  }

  @Test
  void anOrdinaryDaemonReplacesIt(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    wanted(pod.add()).run();
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      Eventually.await("the other's end", LIMIT, () -> daemons().isEmpty());
      wanted(pod.del()).run();
      daemon.awaitLogged("verb=DEL");
      assertThat(ocicat.oneShots()).singleElement().asString().startsWith(STARTED);
    }
  }

  private static Command wanted(Command call) {
    return OnDemandDaemons.wanted(call);
  }

  private List<String> daemons() {
    return started.pids();
  }

  private static List<String> environmentOf(String pid) {
    return List.of(read(Path.of("/proc", pid, "environ")).orElseThrow().split("\0"));
  }

  private static Optional<String> read(Path file) {
    try {
      return Optional.of(Files.readString(file));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static String networkOf(String pid) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", pid, "ns/net")).toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void isRootDirectory(Path link) throws IOException {
    assertThat(Files.readSymbolicLink(link)).isEqualTo(Path.of("/"));
  }
}
