package io.ocicat.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Obstacles of the machine, on mounts that only the command sees. */
class InstallObstaclesTest {
  @TempDir private Path root;
  private Machine machine;

  @BeforeEach
  void aMachine() throws IOException {
    machine = new Machine(root);
    Files.createDirectories(machine.bin);
  }

  @Test
  void aReadOnlyDirectory() {
    Output output = installAfter("mount -t tmpfs -o ro none " + machine.bin);

    assertThat(output.exitCode()).isEqualTo(1);
    assertThat(output.stderr())
        .startsWith("ocicat: cannot write " + machine.bin)
        .contains("read-only file system; choose another directory");
    assertThat(InstallManifest.fileIn(machine.state())).doesNotExist();
  }

  @Test
  void aFullDiskLeavesWhatWasThereAndNothingHalf() throws IOException {
    machine.distribute("x".repeat(20_000));
    Output output =
        installAfter(
            "mount -t tmpfs -o size=64k none %1$s; trap 'ls -A %1$s' EXIT".formatted(machine.bin));

    assertThat(output.exitCode()).isEqualTo(1);
    assertThat(output.stderr()).contains("no space left on device; make room and repeat");
    assertThat(output.stdout()).isEmpty();
    assertThat(InstallManifest.fileIn(machine.state())).doesNotExist();
  }

  /** Another user by name only, so that it works without the right to change users. */
  @Test
  void notRoot() throws IOException {
    Files.setPosixFilePermissions(machine.bin, PosixFilePermissions.fromString("r-xr-xr-x"));

    Output output =
        Command.of(
                "unshare",
                "--user",
                "--map-user=65534",
                "sh",
                "-c",
                "OCICAT_STATE_DIR=%s %s".formatted(machine.state(), install()))
            .attempt();

    assertThat(output.exitCode()).isEqualTo(1);
    assertThat(output.stderr()).contains("permission denied; this needs root: run it with sudo");
  }

  private Output installAfter(String mount) {
    return Command.of(
            "unshare",
            "--mount",
            "sh",
            "-c",
            "%s; OCICAT_STATE_DIR=%s %s".formatted(mount, machine.state(), install()))
        .attempt();
  }

  private String install() {
    return "%s -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -Docicat.home=%s -cp %s io.ocicat.cli.Ocicat install --bin-dir %s"
        .formatted(
            ProcessHandle.current().info().command().orElseThrow(),
            machine.home,
            System.getProperty("java.class.path"),
            machine.bin);
  }
}
