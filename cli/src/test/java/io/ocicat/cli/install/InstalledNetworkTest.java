package io.ocicat.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.daemon.CallLog;
import io.ocicat.daemon.Daemon;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.daemon.trace.CallHistory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A network appears when the daemon serves calls, not before. */
class InstalledNetworkTest {
  private static final String NETWORK =
      "{\"cniVersion\":\"1.0.0\",\"name\":\"blue\",\"plugins\":[{\"type\":\"bridge\"}]}";

  @TempDir private Path root;
  private Machine machine;
  private Path conflist;

  @BeforeEach
  void aMachineAndANetwork() throws IOException {
    machine = new Machine(root);
    conflist = root.resolve("10-blue.conflist");
    Files.writeString(conflist, NETWORK);
  }

  @Test
  void withoutADaemonOnlyThePluginsAreInstalled() {
    assertThat(install()).isEqualTo(1);

    assertThat(machine.err.toString())
        .contains("the network is not", "ocicatd does not serve calls", "ocicatd.sock");
    assertThat(machine.conf).doesNotExist();
    assertThat(machine.plugin("bridge")).exists();
  }

  /** Review U13: at once, not after the wait. */
  @Test
  void whatIsMissingIsSaidBeforeTheWait() {
    assertThat(machine.install("--conflist", conflist.toString(), "--wait", "1")).isEqualTo(1);

    assertThat(machine.err.toString().lines().findFirst().orElse(""))
        .startsWith("ocicat: ocicatd does not serve calls (")
        .contains("ocicatd.sock")
        .endsWith("start it: " + machine.home.resolve("bin/ocicat") + " daemon");
  }

  @Test
  void aDryRunChecksTheDaemonToo() {
    assertThat(machine.install("--dry-run", "--conflist", conflist.toString())).isEqualTo(1);
    assertThat(machine.err.toString()).contains("the network would not: ocicatd does not serve");
    assertThat(
            machine.install(
                "--dry-run",
                "--conflist",
                conflist.toString(),
                "--systemd",
                "--unit-dir",
                machine.units.toString()))
        .isEqualTo(1);
    assertThat(machine.err.toString())
        .contains("install without the network first, then systemctl daemon-reload");
    assertThat(machine.bin).doesNotExist();
  }

  @Test
  void withADaemonItAppearsForRootAlone() throws Exception {
    StateFolders folders = StateFolders.of(machine.environment);
    try (Daemon daemon =
        Daemon.listen(
            new DaemonState(folders, BootId.current()),
            folders,
            PluginExecutables.none(),
            Optional.empty(),
            false,
            new CallLog(_ -> {}, new CallHistory()),
            Clock.systemUTC())) {
      Thread serving = Thread.ofPlatform().start(() -> run(daemon));
      try {
        assertThat(install()).as(machine.err.toString()).isZero();
      } finally {
        daemon.stop();
        serving.join();
      }
    }

    Path installed = machine.conf.resolve("10-blue.conflist");
    assertThat(installed).hasContent(NETWORK);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(installed)))
        .isEqualTo("rw-------");
    assertThat(machine.uninstall()).isZero();
    assertThat(machine.conf).isEmptyDirectory();
  }

  @Test
  void anInvalidNetworkIsRefusedBeforeAnythingIsInstalled() throws IOException {
    Files.writeString(conflist, "{\"cniVersion\":\"1.0.0\",\"plugins\":[]}");

    assertThat(install()).isEqualTo(1);

    assertThat(machine.err.toString()).contains("10-blue.conflist is no network");
    assertThat(machine.bin).doesNotExist();
  }

  @Test
  void aFileThatRuntimesWouldPassOverIsRefused() throws IOException {
    Path wrong = Files.writeString(root.resolve("blue.yaml"), NETWORK);

    assertThat(machine.install("--conflist", wrong.toString())).isEqualTo(1);

    assertThat(machine.err.toString()).contains("end with .conflist");
    assertThat(machine.bin).doesNotExist();
  }

  private int install() {
    return machine.install("--conflist", conflist.toString(), "--wait", "1");
  }

  private static void run(Daemon daemon) {
    try {
      daemon.run();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
