package io.ocicat.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That {@code ocicat uninstall} removes what was installed, all of it and nothing else. */
class UninstallCommandTest {
  @TempDir private Path root;
  private Machine machine;

  @BeforeEach
  void aMachine() throws IOException {
    machine = new Machine(root);
  }

  @Test
  void nothingIsLeftButTheDirectories() {
    machine.install("--systemd", "--unit-dir", machine.units.toString());

    assertThat(machine.uninstall()).as(machine.err.toString()).isZero();

    assertThat(machine.bin).isEmptyDirectory();
    assertThat(machine.units).isEmptyDirectory();
    assertThat(Manifest.fileIn(machine.state())).doesNotExist();
    assertThat(machine.out.toString()).contains("removed   " + machine.plugin("bridge"));
  }

  @Test
  void doingItTwiceIsNoMistake() {
    machine.install();
    machine.uninstall();

    assertThat(machine.uninstall()).isZero();

    assertThat(machine.out.toString()).startsWith("nothing is installed");
  }

  @Test
  void whatWasKeptAsideComesBack() throws IOException {
    Machine.file(machine.plugin("bridge"), "go", "rwxr-xr-x");
    machine.install("--replace");

    assertThat(machine.uninstall()).isZero();

    assertThat(machine.plugin("bridge")).hasContent("go").isExecutable();
    assertThat(machine.plugin("bridge.before-ocicat")).doesNotExist();
  }

  @Test
  void whatWasKeptAsideComesBackAlsoWhenOursIsGone() throws IOException {
    Machine.file(machine.plugin("bridge"), "go", "rwxr-xr-x");
    machine.install("--replace");
    Files.delete(machine.plugin("bridge"));

    assertThat(machine.uninstall()).isZero();

    assertThat(machine.plugin("bridge")).hasContent("go");
  }

  @Test
  void whatWasChangedSinceStays() throws IOException {
    machine.install();
    Machine.file(machine.plugin("bridge"), "go", "rwxr-xr-x");

    assertThat(machine.uninstall()).isZero();

    assertThat(machine.plugin("bridge")).hasContent("go");
    assertThat(machine.plugin("ptp")).doesNotExist();
    assertThat(machine.out.toString())
        .contains("left      " + machine.plugin("bridge") + ", which is not as it was put there");
  }

  @Test
  void whatWasDoneIsThereAsJson() {
    machine.install();

    assertThat(machine.uninstall("--json")).isZero();

    assertThat(Json.parse(machine.out.toString()).path("files").findValuesAsString("done"))
        .isNotEmpty()
        .containsOnly("removed");
  }

  @Test
  void aDryRunTellsAndDoesNothing() {
    machine.install();

    assertThat(machine.uninstall("--dry-run")).isZero();

    assertThat(machine.out.toString())
        .startsWith(Account.DRY_RUN)
        .contains("removed   " + machine.plugin("bridge"));
    assertThat(machine.plugin("bridge")).hasContent("shim 1");
    assertThat(Manifest.fileIn(machine.state())).exists();
  }

  @Test
  void theLastPluginsStayAsLongAsContainersNeedThem() throws IOException {
    machine.install();
    Machine.file(machine.state().resolve("attachments/0123"), "a record", "rw-------");

    assertThat(machine.uninstall()).isEqualTo(1);

    assertThat(machine.err.toString()).contains("1 attachments are still there", "--force");
    assertThat(machine.plugin("bridge")).exists();
    assertThat(machine.uninstall("--force")).isZero();
    assertThat(machine.bin).isEmptyDirectory();
  }

  @Test
  void filesThatOthersPutIntoTheCopyStay() throws IOException {
    Path copy = root.resolve("opt/ocicat-1.2.3-abc");
    machine.install("--prefix", root.resolve("opt").toString());
    Files.writeString(copy.resolve("lib/notes"), "mine");

    assertThat(machine.uninstall()).isZero();

    assertThat(copy.resolve("lib/notes")).hasContent("mine");
    assertThat(copy.resolve("bin")).doesNotExist();
    assertThat(machine.out.toString()).contains("left      " + copy.resolve("lib"));
  }
}
