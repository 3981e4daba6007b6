package io.ocicat.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to hosts when the JVM that created them ends in one way or another. */
class CleanupTest {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Test
  void aRunThatIsInterruptedRemovesItsHosts(@TempDir Path scratch) {
    try (Background run = AnotherTestRun.start(scratch)) {
      Path host = Namespace.path(AnotherTestRun.hostOf(run));
      assertThat(host).exists();

      run.stop(LIMIT);

      assertThat(host).doesNotExist();
    }
  }

  @Test
  void theNextRunRemovesTheHostsOfADeadOneAndNoOthers(@TempDir Path scratch) {
    try (Background living = AnotherTestRun.start(scratch);
        Background dead = AnotherTestRun.start(scratch);
        Host mine = Host.open()) {
      String left = AnotherTestRun.hostOf(dead);
      String kept = AnotherTestRun.hostOf(living);
      List<Long> orphans = processesIn(left);
      // Only the JVM: what it started lives on, as it does when a test run is killed from outside.
      Command.of("kill", "-KILL", Long.toString(dead.pid())).run();
      dead.await(LIMIT);
      assertThat(Namespace.path(left)).exists();
      assertThat(orphans).isNotEmpty();

      Namespace.cleanUp();

      assertThat(Namespace.path(left)).doesNotExist();
      assertThat(Namespace.path(kept)).exists();
      assertThat(processesIn(kept)).isNotEmpty();
      assertThat(mine.path()).exists();
      assertThat(orphans).noneMatch(ProcessStatus::isRunning);
    }
    Namespace.cleanUp();
  }

  @Test
  void namespacesOfOthersAreNotOurs() {
    assertThat(HostName.parse("cni-7e7d1b8c-0000-4000-8000-1234567890ab")).isEmpty();
    assertThat(HostName.parse("oci-1")).isEmpty();
    assertThat(HostName.parse("oci-1-2-zzzzzzzz")).isEmpty();
  }

  @Test
  void aProcessIdThatWasGivenAwayAgainIsNotTheOwner() {
    HostName mine = HostName.next();

    assertThat(HostName.parse(mine.toString())).contains(mine);
    assertThat(mine.ownerIsGone()).isFalse();
    assertThat(new HostName(mine.pid(), mine.start() - 1, mine.suffix()).ownerIsGone()).isTrue();
  }

  /** As root and without: hosts need only a user namespace with a /run of its own. */
  @Test
  void aUserNamespaceIsEnough(@TempDir Path scratch) {
    try (Background run =
        AnotherTestRun.start(
            scratch,
            "unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-ec",
            "mount -t tmpfs tmpfs /run; exec \"$@\"",
            "sh")) {
      String name = AnotherTestRun.hostOf(run);

      assertThat(Namespace.path(name)).doesNotExist();
      assertThat(run.isAlive()).isTrue();
    }
  }

  private static List<Long> processesIn(String name) {
    return Command.of("ip", "netns", "pids", name)
        .run()
        .stdout()
        .lines()
        .map(Long::valueOf)
        .toList();
  }
}
