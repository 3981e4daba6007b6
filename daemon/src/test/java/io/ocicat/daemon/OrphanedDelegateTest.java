package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An external IPAM plugin that is still running when the process that executed it was killed
 * (review R3).
 */
@Hosts
class OrphanedDelegateTest {
  @TempDir Path folder;

  @Test
  void afterTheDaemonWasKilledDelLeavesNoDelegateThatAllocates(Host host, Host container)
      throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    slowIpam(ocicat);
    try (DaemonProcess daemon = ocicat.startDaemon();
        Background _ = call(pod, "ADD").start()) {
      long delegate = awaitDelegate();
      daemon.kill();
      assertThat(isRunning(delegate)).isTrue();
    }
    try (DaemonProcess _ = ocicat.startDaemon()) {
      call(pod, "DEL").run();
      assertNothingIsAllocatedLater();
      assertThat(ocicat.records("journal")).isEmpty();
    }
  }

  @Test
  void afterACallWithoutADaemonWasKilledNeither(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    slowIpam(ocicat);
    // Records are kept once a daemon has run there.
    ocicat.startDaemon().stop();
    long delegate;
    try (Background add = call(pod, "ADD").start()) {
      delegate = awaitDelegate();
      ProcessHandle.of(delegate).flatMap(ProcessHandle::parent).orElseThrow().destroyForcibly();
      Eventually.await("the end of the call", () -> !add.isAlive());
      assertThat(isRunning(delegate)).isTrue();
    }
    call(pod, "DEL").run();
    assertThat(isRunning(delegate)).isFalse();
    assertNothingIsAllocatedLater();
  }

  private void assertNothingIsAllocatedLater() throws IOException {
    long delegate = Long.parseLong(Files.readString(folder.resolve("delegate")).strip());
    assertThat(isRunning(delegate)).isFalse();
    assertThat(folder.resolve("lease")).doesNotExist();
  }

  private long awaitDelegate() throws IOException {
    Path started = folder.resolve("delegate");
    Eventually.await("the delegate", Duration.ofSeconds(30), () -> Files.exists(started));
    return Long.parseLong(Files.readString(started).strip());
  }

  private static boolean isRunning(long pid) {
    return ProcessHandle.of(pid).isPresent()
        && !Command.of("ps", "-o", "stat=", "-p", Long.toString(pid))
            .attempt()
            .stdout()
            .startsWith("Z");
  }

  private static Command call(Pod pod, String verb) {
    return pod.call(
        "bridge", verb, pod.bridgeConf().replace("\"type\":\"host-local\"", "\"type\":\"slow\""));
  }

  /** Allocates only when it has been waiting for a minute. */
  private void slowIpam(Installation ocicat) throws IOException {
    Path executable = ocicat.executable("slow");
    Files.writeString(
        executable,
        """
        #!/bin/sh
        cat >/dev/null
        case "$CNI_COMMAND" in
        ADD)
          echo $$ >'%1$s/draft' && mv '%1$s/draft' '%1$s/delegate'
          for i in $(seq 600); do sleep 0.1; done
          touch '%1$s/lease'
          echo '{"cniVersion":"1.0.0","ips":[{"address":"10.88.0.9/24"}]}' ;;
        *) rm -f '%1$s/lease' ;;
        esac
        """
            .formatted(folder));
    Files.setPosixFilePermissions(executable, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
