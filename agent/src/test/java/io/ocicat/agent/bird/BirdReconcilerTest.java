package io.ocicat.agent.bird;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One BIRD runs with the wanted configuration, whatever happens to it, its files or the agent. */
@Hosts
class BirdReconcilerTest {
  @TempDir Path folder;

  private static String lonely(int routes) {
    return TestBird.mesh("10.7.0.1", "10.7.0.2", 64512, "", routes);
  }

  /** Empty for a configuration that is not ours, and while none can be asked. */
  private static String loaded(TestBird bird) {
    try (BirdControl control = bird.connect()) {
      return control.command(BirdConfiguration.QUESTION).outcome();
    } catch (BirdException _) {
      return "";
    }
  }

  private static String digest(TestBird bird, String text) {
    return BirdConfiguration.of(text, bird.files).digest();
  }

  /** BIRD runs, and everything is as it should be for this text. */
  private static void assertInForce(TestBird bird, String text) {
    Eventually.passes(
        TestBird.LIMIT,
        () -> {
          assertThat(bird.status()).hasValueSatisfying(now -> assertThat(now.isRunning()).isTrue());
          assertThat(bird.files.configuration())
              .hasContent(BirdConfiguration.of(text, bird.files).text());
          assertThat(bird.files.pid()).exists();
          assertThat(new BirdProcess(bird.files, bird.namespace, "bird").isOurs(bird.pid()))
              .isTrue();
          assertThat(bird.files.socket()).exists();
          assertThat(loaded(bird)).isEqualTo(digest(bird, text));
        });
  }

  @Test
  void equalTextIsNotLoadedAgain(Host host) throws Exception {
    try (TestBird bird = new TestBird(host, folder).want(lonely(1)).awaitRunning()) {
      assertInForce(bird, lonely(1));
      long pid = bird.pid();
      var modified = Files.getLastModifiedTime(bird.files.configuration());
      bird.want(lonely(1));
      bird.want(lonely(2));
      assertInForce(bird, lonely(2));
      bird.want(lonely(2));
      Thread.sleep(600);
      assertThat(bird.status().orElseThrow().reloads()).isOne();
      assertThat(bird.pid()).isEqualTo(pid);
      assertThat(Files.getLastModifiedTime(bird.files.configuration())).isGreaterThan(modified);
      assertThat(bird.log).containsExactly("BIRD is started (pid %d)".formatted(pid));
    }
  }

  @Test
  void aConfigurationWithAnErrorLeavesTheLastGoodOneInForce(Host host) {
    try (TestBird bird = new TestBird(host, folder).want(lonely(1)).awaitRunning()) {
      bird.want("router id 1.2.3.4;\nprotocol devic {}\n");
      Eventually.await("the problem", () -> !bird.status().orElseThrow().failures().isEmpty());
      assertThat(bird.status().orElseThrow().failures())
          .containsExactly(
              ("BIRD does not accept the new configuration, the last good one stays in force:"
                      + " %s:2:10 syntax error, unexpected CF_SYM_UNDEFINED")
                  .formatted(bird.files.rejected()));
      assertThat(loaded(bird)).isEqualTo(digest(bird, lonely(1)));
      assertThat(bird.files.configuration())
          .hasContent(BirdConfiguration.of(lonely(1), bird.files).text());
      bird.want(lonely(3));
      assertInForce(bird, lonely(3));
      Eventually.await("no problem", () -> bird.status().orElseThrow().failures().isEmpty());
    }
  }

  @Test
  void aFirstConfigurationWithAnErrorIsReportedAndStartsNothing(Host host) {
    try (TestBird bird = new TestBird(host, folder).want("nonsense;\n")) {
      Eventually.await(
          "the problem", () -> bird.status().filter(now -> !now.failures().isEmpty()).isPresent());
      assertThat(bird.status().orElseThrow().failures().getFirst())
          .contains(bird.files.rejected() + ":1:1 syntax error");
      assertThat(bird.files.pid()).doesNotExist();
      bird.want(lonely(1)).awaitRunning();
      assertInForce(bird, lonely(1));
    }
  }

  @Test
  void theNextAgentAdoptsTheRunningOneWithoutAReload(Host host) {
    long pid;
    String configured;
    try (TestBird bird = new TestBird(host, folder).want(lonely(5)).awaitRunning()) {
      pid = bird.pid();
      try (BirdControl control = bird.connect()) {
        configured = control.daemon().configured();
      }
    }
    try (TestBird next = new TestBird(host, folder)) {
      next.want(lonely(5)).awaitRunning();
      assertInForce(next, lonely(5));
      assertThat(next.pid()).isEqualTo(pid);
      assertThat(next.log).containsExactly("BIRD runs already (pid %d) and is kept".formatted(pid));
      assertThat(next.status().orElseThrow().reloads()).isZero();
      try (BirdControl control = next.connect()) {
        assertThat(control.daemon().configured()).isEqualTo(configured);
      }
      next.want(lonely(6));
      assertInForce(next, lonely(6));
      assertThat(next.pid()).isEqualTo(pid);
    }
  }

  /** A pid file may name any process after a restart of the machine. */
  @Test
  void aPidFileThatNamesAnotherProcessIsNotBelieved(Host host) throws Exception {
    long other = ProcessHandle.current().pid();
    Files.writeString(folder.resolve("bird.pid"), other + "\n");
    try (TestBird bird = new TestBird(host, folder).want(lonely(1)).awaitRunning()) {
      assertInForce(bird, lonely(1));
      assertThat(bird.pid()).isNotEqualTo(other);
    }
  }

  private static void signal(TestBird bird, String signal) {
    io.ocicat.testkit.Command.of("kill", "-" + signal, Long.toString(bird.pid())).run();
  }

  private static void awaitLogged(TestBird bird, String text) {
    Eventually.passes(
        TestBird.LIMIT,
        () -> assertThat(bird.log).anySatisfy(line -> assertThat(line).contains(text)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"KILL", "TERM", "SEGV", "INT"})
  void anEndedBirdIsStartedAgain(String signal, Host host) {
    try (TestBird bird = new TestBird(host, folder).want(lonely(1)).awaitRunning()) {
      long pid = bird.pid();
      signal(bird, signal);
      awaitLogged(bird, "BIRD (pid %d) has ended without being asked to".formatted(pid));
      assertInForce(bird, lonely(1));
      assertThat(bird.pid()).isNotEqualTo(pid);
      assertThat(host.exec("cat", "/proc/%d/cmdline".formatted(bird.pid())).stdout())
          .contains("\0-R\0");
    }
  }

  /** One way to damage a file of BIRD's. */
  private record Sabotage(String what, Damage damage, String logged) {}

  @FunctionalInterface
  private interface Damage {
    void inflict(BirdFiles files) throws Exception;
  }

  @Test
  void whatSomebodyDoesToItsFilesIsRepairedAndLogged(Host host) throws Exception {
    List<Sabotage> sabotages =
        List.of(
            new Sabotage("rm conf", f -> Files.delete(f.configuration()), "removed"),
            new Sabotage(
                "edit conf",
                f -> Files.writeString(f.configuration(), "log syslog all;"),
                "changed"),
            new Sabotage("rm pid", f -> Files.delete(f.pid()), "bird.pid: it is written again"),
            new Sabotage("edit pid", f -> Files.writeString(f.pid(), "1\n"), "bird.pid: it is"),
            new Sabotage("rm socket", f -> Files.delete(f.socket()), "replaced"),
            new Sabotage(
                "another socket",
                f -> {
                  Files.delete(f.socket());
                  Files.writeString(f.socket(), "");
                },
                "replaced"),
            new Sabotage(
                "everything",
                f -> {
                  for (Path file : List.of(f.configuration(), f.socket(), f.pid(), f.log())) {
                    Files.delete(file);
                  }
                },
                "replaced"),
            new Sabotage(
                "another configuration is loaded",
                f -> {
                  Path other =
                      Files.writeString(f.directory().resolve("o.conf"), "protocol device {}");
                  try (BirdControl control =
                      BirdControl.connect(f.socket(), Duration.ofSeconds(5))) {
                    control.command("configure \"%s\"".formatted(other));
                  }
                },
                "not the agent's"));
    try (TestBird bird = new TestBird(host, folder).want(lonely(2)).awaitRunning()) {
      assertInForce(bird, lonely(2));
      for (Sabotage sabotage : sabotages) {
        bird.log.clear();
        sabotage.damage().inflict(bird.files);
        awaitLogged(bird, sabotage.logged());
        assertInForce(bird, lonely(2));
      }
    }
  }

  @Test
  void aBirdThatHangsIsReportedAndReplaced(Host host) {
    try (TestBird bird = new TestBird(host, folder).want(lonely(1)).awaitRunning()) {
      long pid = bird.pid();
      signal(bird, "STOP");
      awaitLogged(bird, "BIRD (pid %d) runs but does not answer".formatted(pid));
      awaitLogged(bird, "BIRD (pid %d) is restarted: it has not answered".formatted(pid));
      assertInForce(bird, lonely(1));
      assertThat(bird.pid()).isNotEqualTo(pid);
      Eventually.await("no problem", () -> bird.status().orElseThrow().failures().isEmpty());
    }
  }

  @Test
  void aPlannedRestartIsGraceful(Host host) throws Exception {
    try (TestBird bird = new TestBird(host, folder).want(lonely(1)).awaitRunning()) {
      long pid = bird.pid();
      Eventually.await(
          "the route", () -> host.exec("ip", "route").stdout().contains("blackhole 10.1.0.0"));
      bird.reconciler.restart();
      awaitLogged(bird, "is restarted: asked for");
      Eventually.await("another one", TestBird.LIMIT, () -> bird.pid() != 0 && bird.pid() != pid);
      assertInForce(bird, lonely(1));
      assertThat(Files.readString(bird.files.log())).contains("Shutting down for graceful restart");
      assertThat(host.exec("ip", "route").stdout()).contains("blackhole 10.1.0.0");
    }
  }

  @Test
  void stopEndsBirdAndRemovesItsRoutes(Host host) {
    try (TestBird bird = new TestBird(host, folder).want(lonely(3)).awaitRunning()) {
      Eventually.await(
          "the routes", () -> host.exec("ip", "route").stdout().contains("blackhole 10.1.0.2"));
      host.exec("ip", "route", "add", "blackhole", "203.0.113.0/24", "proto", "80");
      long pid = bird.pid();
      bird.reconciler.stop();
      awaitLogged(bird, "BGP is off: BIRD (pid %d) is ended".formatted(pid));
      Eventually.await("no status", () -> bird.status().isEmpty());
      assertThat(host.exec("ip", "route").stdout())
          .doesNotContain("proto bird")
          .contains("203.0.113.0/24");
      assertThat(new BirdProcess(bird.files, bird.namespace, "bird").isOurs(pid)).isFalse();
      assertThat(bird.files.configuration()).doesNotExist();
      bird.want(lonely(1)).awaitRunning();
      assertInForce(bird, lonely(1));
    }
  }

  /** Routes of a BIRD that died are removed as well, and nothing is started where none ever ran. */
  @Test
  void stopFinishesWhatADeadBirdLeft(Host host) {
    try (TestBird bird = new TestBird(host, folder)) {
      bird.reconciler.stop();
      bird.want(lonely(3)).awaitRunning();
      Eventually.await(
          "the routes", () -> host.exec("ip", "route").stdout().contains("blackhole 10.1.0.2"));
      signal(bird, "STOP");
    }
    try (TestBird next = new TestBird(host, folder)) {
      signal(next, "KILL");
      next.reconciler.stop();
      awaitLogged(next, "BGP is off");
      assertThat(host.exec("ip", "route").stdout()).doesNotContain("proto bird");
    }
  }

  @Test
  void aMissingProgramIsNamedWithTheWayToGetIt(Host host) {
    BirdSettings settings =
        new BirdSettings(
            "no-bird",
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ZERO,
            io.ocicat.base.CrashPoints.IGNORED);
    try (TestBird bird = new TestBird(host, folder, settings).want(lonely(1))) {
      Eventually.await(
          "the problem",
          () ->
              bird.status()
                  .filter(
                      now ->
                          now.failures()
                              .equals(
                                  List.of(
                                      "BIRD does not start: no-bird is not installed: apt-get"
                                          + " install bird2")))
                  .isPresent());
      assertThat(bird.status().orElseThrow().isReady()).isFalse();
    }
  }

  @Test
  void aTakenPortIsNamedWithItsHolderAndTriedAgain(Host host) {
    host.exec("ip", "address", "add", "10.7.0.1/32", "dev", "lo");
    var holder =
        host.start(
            "python3",
            "-c",
            "import"
                + " socket,time;s=socket.socket();s.bind(('0.0.0.0',179));s.listen();time.sleep(600)");
    try (TestBird bird = new TestBird(host, folder)) {
      Eventually.await(
          "the port", () -> host.exec("ss", "-Hltn", "sport = :179").stdout().contains(":179"));
      bird.want(lonely(1));
      awaitLogged(bird, "BIRD cannot listen at TCP port 179, which python3 (pid");
      assertThat(bird.session().hint()).hasValueSatisfying(h -> assertThat(h).contains("port"));
      holder.close();
      Eventually.passes(
          TestBird.LIMIT,
          () -> assertThat(bird.status().orElseThrow().failures()).as("%s", bird.log).isEmpty());
      assertThat(host.exec("ss", "-Hltnp", "sport = :179").stdout()).contains("bird");
    }
  }

  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  /** The thread ends at a point as the whole agent would if it were killed there. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "the draft is written",
        "the draft is checked",
        "the configuration is in place",
        "BIRD has loaded the configuration"
      })
  void anAgentKilledAtAnyStepIsFinishedByTheNext(String point, Host host) throws Exception {
    try (TestBird first = new TestBird(host, folder).want(lonely(1)).awaitRunning()) {
      assertInForce(first, lonely(1));
    }
    CountDownLatch reached = new CountDownLatch(1);
    AtomicReference<Thread> ended = new AtomicReference<>();
    BirdSettings dying =
        TestBird.settings(
            at -> {
              if (at.equals(point)) {
                ended.set(Thread.currentThread());
                reached.countDown();
                Thread.currentThread().setUncaughtExceptionHandler((_, _) -> {});
                throw new Killed();
              }
            });
    TestBird killed = new TestBird(host, folder, dying).want(lonely(2));
    reached.await();
    ended.get().join();
    try (TestBird next = new TestBird(host, folder).want(lonely(2)).awaitRunning()) {
      assertInForce(next, lonely(2));
      assertThat(next.log).noneSatisfy(line -> assertThat(line).contains("somebody"));
      assertThat(next.files.draft()).doesNotExist();
    } finally {
      killed.close();
    }
  }

  /** The same before the first BIRD has ever run. */
  @ParameterizedTest
  @ValueSource(
      strings = {"the draft is written", "the draft is checked", "the configuration is in place"})
  void anAgentKilledBeforeTheStartIsFinishedByTheNext(String point, Host host) throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    BirdSettings dying =
        TestBird.settings(
            at -> {
              if (at.equals(point)) {
                reached.countDown();
                Thread.currentThread().setUncaughtExceptionHandler((_, _) -> {});
                throw new Killed();
              }
            });
    TestBird killed = new TestBird(host, folder, dying).want(lonely(2));
    reached.await();
    try (TestBird next = new TestBird(host, folder).want(lonely(2)).awaitRunning()) {
      assertInForce(next, lonely(2));
    } finally {
      killed.close();
    }
  }
}
