package io.ocicat.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.plugins.Plugins;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What {@code ocicat install} does to directories, and that it may be repeated and killed. */
class InstallCommandTest {
  @TempDir private Path root;
  private Machine machine;

  @BeforeEach
  void aMachine() throws IOException {
    machine = new Machine(root);
  }

  @Test
  void everyPluginIsTheShimAndTheLinkLeadsHome() throws IOException {
    assertThat(machine.install()).as(machine.err.toString()).isZero();

    assertThat(names(machine.bin))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(Plugins.names().stream(), Stream.of(".ocicat")).toList());
    assertThat(machine.plugin("bridge")).hasContent("shim 1").isExecutable();
    assertThat(Files.readSymbolicLink(machine.plugin(".ocicat"))).isEqualTo(machine.home);
    assertThat(machine.out.toString()).contains("new       " + machine.plugin("bridge"));
  }

  @Test
  void onlyTheOwnerSeesWhatWasPutWhere() throws IOException {
    machine.install();

    assertThat(permissions(machine.state())).isEqualTo("rwx------");
    assertThat(permissions(InstallManifest.fileIn(machine.state()))).isEqualTo("rw-------");
  }

  @Test
  void doingItTwiceChangesNothing() throws IOException {
    machine.install();
    Object before = Files.getAttribute(machine.plugin("bridge"), "unix:ino");

    assertThat(machine.install()).isZero();

    assertThat(Files.getAttribute(machine.plugin("bridge"), "unix:ino")).isEqualTo(before);
    assertThat(machine.out.toString()).contains("same").doesNotContain("new", "updated");
  }

  /** A running executable cannot be written to, so the new one must be another file. */
  @Test
  void aNewVersionTakesThePlaceOfTheOldOneAsAnotherFile() throws IOException {
    machine.install();
    Object before = Files.getAttribute(machine.plugin("bridge"), "unix:ino");
    machine.distribute("shim 2");

    assertThat(machine.install()).as(machine.err.toString()).isZero();

    assertThat(machine.plugin("bridge")).hasContent("shim 2").isExecutable();
    assertThat(Files.getAttribute(machine.plugin("bridge"), "unix:ino")).isNotEqualTo(before);
    assertThat(machine.out.toString()).contains("updated   " + machine.plugin("bridge"));
  }

  @Test
  void aLostModeIsSetRight() throws IOException {
    machine.install();
    Files.setPosixFilePermissions(
        machine.plugin("bridge"), PosixFilePermissions.fromString("rw-r--r--"));

    assertThat(machine.install()).isZero();

    assertThat(machine.plugin("bridge")).isExecutable();
  }

  @Test
  void foreignFilesAreNotTouchedUnlessRequested() throws IOException {
    Machine.file(machine.plugin("bridge"), "go", "rwxr-xr-x");
    Machine.file(machine.plugin("ptp"), "go", "rwxr-xr-x");

    assertThat(machine.install()).isEqualTo(1);

    assertThat(machine.err.toString())
        .contains(
            machine.plugin("bridge") + " is somebody else's",
            machine.plugin("ptp") + " is somebody else's",
            "nothing was changed",
            "--replace");
    assertThat(names(machine.bin)).containsExactlyInAnyOrder("bridge", "ptp");
    assertThat(InstallManifest.fileIn(machine.state())).doesNotExist();
  }

  @Test
  void foreignFilesAreKeptAside() throws IOException {
    Machine.file(machine.plugin("bridge"), "go", "rwxr-xr-x");

    assertThat(machine.install("--replace")).as(machine.err.toString()).isZero();

    assertThat(machine.plugin("bridge")).hasContent("shim 1");
    assertThat(machine.plugin("bridge.before-ocicat")).hasContent("go").isExecutable();
    assertThat(machine.out.toString())
        .contains("replaced  " + machine.plugin("bridge") + ", kept as bridge.before-ocicat");
  }

  @Test
  void strangersInTheSameDirectoryAreNoneOfOurBusiness() throws IOException {
    Machine.file(machine.plugin("cilium-cni"), "go", "rwxr-xr-x");

    assertThat(machine.install()).isZero();
    assertThat(machine.uninstall()).isZero();

    assertThat(names(machine.bin)).containsExactly("cilium-cni");
  }

  @Test
  void aNewerForeignVersionIsTheOneThatIsKept() throws IOException {
    Machine.file(machine.plugin("bridge"), "go 1", "rwxr-xr-x");
    machine.install("--replace");
    Machine.file(machine.plugin("bridge"), "go 2", "rwxr-xr-x");

    assertThat(machine.install("--replace")).as(machine.err.toString()).isZero();

    assertThat(machine.plugin("bridge.before-ocicat")).hasContent("go 2");
  }

  @Test
  void nothingUnknownIsOverwrittenByWhatIsKept() throws IOException {
    Machine.file(machine.plugin("bridge"), "go", "rwxr-xr-x");
    Machine.file(machine.plugin("bridge.before-ocicat"), "precious", "rwxr-xr-x");

    assertThat(machine.install("--replace")).isEqualTo(1);

    assertThat(machine.err.toString()).contains("bridge.before-ocicat").contains("move it away");
    assertThat(machine.plugin("bridge")).hasContent("go");
    assertThat(machine.plugin("bridge.before-ocicat")).hasContent("precious");
  }

  @Test
  void aDirectoryOfAPluginsNameIsAnObstacleInAnyCase() throws IOException {
    Files.createDirectories(machine.plugin("bridge"));

    assertThat(machine.install("--replace")).isEqualTo(1);

    assertThat(machine.err.toString()).contains("bridge is neither a file nor a link");
  }

  @Test
  void whatWasDoneIsThereAsJsonAlsoWhenItIsRefused() throws IOException {
    assertThat(machine.install("--json")).isZero();
    JsonNode done = CniJson.parse(machine.out.toString());
    assertThat(done.path("dryRun").asBoolean(true)).isFalse();
    assertThat(done.path("files").findValuesAsString("path"))
        .contains(machine.plugin("bridge").toString());
    assertThat(done.path("files").findValuesAsString("done")).containsOnly("new");

    Files.writeString(machine.plugin("bridge"), "somebody else's");
    assertThat(machine.install("--json")).isEqualTo(1);
    assertThat(CniJson.parse(machine.out.toString()).path("files")).isEmpty();
  }

  @Test
  void aDryRunReportsAndDoesNothing() throws IOException {
    assertThat(machine.install("--dry-run", "--systemd", "--unit-dir", machine.units.toString()))
        .isZero();

    assertThat(machine.out.toString())
        .startsWith(InstallOutput.DRY_RUN)
        .contains(machine.plugin("bridge").toString(), "ocicat.service");
    assertThat(machine.bin).doesNotExist();
    assertThat(machine.state()).doesNotExist();
  }

  /** As a kill between the manifest and the renames leaves it, and one between the renames. */
  @Test
  void aKilledInstallCanBeRepeatedAndTakenBack() throws IOException {
    Machine.file(machine.plugin("bridge"), "go", "rwxr-xr-x");
    machine.install("--replace");
    Files.delete(machine.plugin("bridge"));
    Files.createLink(machine.plugin("bridge"), machine.plugin("bridge.before-ocicat"));
    Files.delete(machine.plugin("ptp"));
    Files.writeString(machine.plugin(".ptp.ocicat-new"), "half");

    assertThat(machine.install("--replace")).as(machine.err.toString()).isZero();

    assertThat(machine.plugin("bridge")).hasContent("shim 1");
    assertThat(machine.plugin("ptp")).hasContent("shim 1");
    assertThat(machine.uninstall()).isZero();
    assertThat(names(machine.bin)).containsExactly("bridge");
    assertThat(machine.plugin("bridge")).hasContent("go");
  }

  @Test
  void aKilledUpdateLeavesTwoVersionsThatAreBothOurs() throws IOException {
    machine.install();
    machine.distribute("shim 2");
    machine.install();
    InstallManifest half = InstallManifest.read(machine.state());
    Fingerprint one = Fingerprint.ofBytes("shim 1".getBytes(StandardCharsets.UTF_8));
    Fingerprint two = Fingerprint.of(machine.plugin("bridge")).orElseThrow();
    half.put(new InstallManifest.Entry(machine.plugin("ptp"), Set.of(one, two), null));
    half.write(machine.state());
    Machine.file(machine.plugin("ptp"), "shim 1", "rwxr-xr-x");

    assertThat(machine.install()).as(machine.err.toString()).isZero();

    assertThat(machine.plugin("ptp")).hasContent("shim 2");
  }

  @Test
  void theDistributionIsCopiedWithItsTimesAndUsedThere() throws IOException {
    FileTime time = FileTime.from(Instant.parse("2020-01-02T03:04:05Z"));
    Files.setLastModifiedTime(machine.home.resolve("bin/ocicat"), time);
    Path copy = root.resolve("opt/ocicat-1.2.3-abc");

    assertThat(machine.install("--prefix", root.resolve("opt").toString())).isZero();

    assertThat(copy.resolve("bin/ocicat")).hasContent("launcher").isExecutable();
    assertThat(Files.getLastModifiedTime(copy.resolve("bin/ocicat"))).isEqualTo(time);
    assertThat(Files.readSymbolicLink(copy.resolve("lib/also"))).isEqualTo(Path.of("shim"));
    assertThat(Files.readSymbolicLink(machine.plugin(".ocicat"))).isEqualTo(copy);
    assertThat(machine.out.toString()).contains("new       " + copy + ", 5 files");

    assertThat(machine.uninstall()).isZero();
    assertThat(copy).doesNotExist();
    assertThat(root.resolve("opt")).exists();
  }

  @Test
  void unitsNameTheFolderTheyStart() throws IOException {
    assertThat(machine.install("--systemd", "--unit-dir", machine.units.toString()))
        .as(machine.err.toString())
        .isZero();

    assertThat(machine.units.resolve("ocicat.service"))
        .hasContent("ExecStart=" + machine.home + "/bin/ocicat daemon\n");
    assertThat(machine.out.toString()).contains("systemctl daemon-reload");
  }

  @Test
  void theUnitsOfANodeRunItsAgent() {
    assertThat(machine.install("--node", "--unit-dir", machine.units.toString()))
        .as(machine.err.toString())
        .isZero();

    assertThat(machine.units.resolve("ocicat.service"))
        .hasContent("ExecStart=" + machine.home + "/bin/ocicat node\n");
  }

  @Test
  void noUnitsUnlessAskedFor() {
    assertThat(machine.install("--no-systemd", "--unit-dir", machine.units.toString())).isZero();

    assertThat(machine.units).doesNotExist();
  }

  @Test
  void aManifestThatCannotBeReadStopsBeforeAnythingIsTouched() throws IOException {
    Machine.file(InstallManifest.fileIn(machine.state()), "{\"version\":1,", "rw-------");

    assertThat(machine.install()).isEqualTo(1);

    assertThat(machine.err.toString()).contains("installed.json does not say what was installed");
    assertThat(machine.bin).doesNotExist();
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
