package io.ocicat.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandTest {

  @Test
  void bothStreamsAreCapturedWhole() {
    Output output = Command.of("sh", "-c", "seq 1 100000; echo bad >&2; exit 3").attempt();

    assertThat(output.exitCode()).isEqualTo(3);
    assertThat(output.stdout().lines()).hasSize(100_000);
    assertThat(output.stderr()).isEqualTo("bad\n");
  }

  @Test
  void inputEnvironmentAndDirectoryArePassedOn(@TempDir Path directory) {
    Output output =
        Command.of("sh", "-c", "pwd; cat; echo $GREETING")
            .in(directory)
            .stdin("zwölf\n")
            .env("GREETING", "hello")
            .run();

    assertThat(output.stdout()).isEqualTo(directory + "\nzwölf\nhello\n");
  }

  @Test
  void withoutInputThereIsNothingToRead() {
    assertThat(Command.of("cat").run().stdout()).isEmpty();
  }

  @Test
  void aFailureShowsTheCommandTheCodeAndTheOutput() {
    assertThatThrownBy(Command.of("sh", "-c", "echo out; echo err >&2; exit 7")::run)
        .isInstanceOf(TestkitException.class)
        .hasMessage(
            """
            command failed: sh -c echo out; echo err >&2; exit 7
            exit code 7
            stdout:
              out
            stderr:
              err
            """);
  }

  @Test
  void whatRunsTooLongIsKilledWithItsChildrenAndShowsItsOutputSoFar() {
    Command endless = Command.of("sh", "-c", "echo $$; sleep 600 & echo $!; wait");

    assertThatThrownBy(endless.limit(Duration.ofMillis(500))::run)
        .isInstanceOf(TestkitException.class)
        .hasMessageContaining("still running after PT0.5S, killed: sh -c echo $$")
        .satisfies(
            failure ->
                assertThat(failure.toString().lines().map(String::strip))
                    .filteredOn(line -> line.matches("\\d+"))
                    .hasSize(2)
                    .allSatisfy(
                        pid -> assertThat(ProcessStatus.isRunning(Long.parseLong(pid))).isFalse()));
  }

  @Test
  void aDaemonThatKeepsTheOutputOpenDoesNotKeepTheCaller() {
    Output output = Command.of("sh", "-c", "setsid sleep 600 & echo $!").run();

    ProcessHandle daemon = ProcessHandle.of(Long.parseLong(output.stdout().strip())).orElseThrow();
    assertThat(daemon.isAlive()).isTrue();
    daemon.destroyForcibly();
  }

  @Test
  void aMissingToolNamesItsDebianPackage() {
    assertThatThrownBy(() -> Tool.locate("/nonexistent/tool", "/usr/bin"))
        .hasMessageStartingWith("this test needs the program \"/nonexistent/tool\"");
    assertThatThrownBy(() -> Tool.locate("conntrackd-like", "/nonexistent"))
        .hasMessage(
            "this test needs the program \"conntrackd-like\", which is neither in PATH nor in"
                + " /usr/sbin, /sbin");
    // One that lives in /usr/bin, so that an empty search path hides it.
    assertThatThrownBy(() -> Tool.locate("jq", "/nonexistent"))
        .hasMessage(
            "this test needs the program \"jq\": install the Debian package jq (./check does it as"
                + " root)");
  }

  @Test
  void whatCannotBeStartedSaysSo(@TempDir Path directory) {
    assertThatThrownBy(Command.of("true").in(directory.resolve("nowhere"))::run)
        .isInstanceOf(TestkitException.class)
        .hasMessageContaining("cannot start true");
  }

  @Test
  void outputThatIsNotJsonIsShown() {
    Output output = Command.of("echo", "{oops").run();

    assertThatThrownBy(output::json)
        .isInstanceOf(TestkitException.class)
        .hasMessageContaining("not JSON")
        .hasMessageContaining("{oops");
  }

  @Test
  void aBackgroundCommandIsReadWhileItRunsAndStopped() {
    try (Background process = Command.of("sh", "-c", "echo ready; exec sleep 600").start()) {
      Eventually.await("the greeting", () -> process.stdout().equals("ready\n"));
      assertThat(process.isAlive()).isTrue();

      assertThat(process.stop(Duration.ofSeconds(10)).exitCode()).isEqualTo(128 + 15);
    }
  }
}
