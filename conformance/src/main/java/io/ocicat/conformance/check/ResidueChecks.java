package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;

import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.AddedContainer;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.LabContainer;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Checks what is left after DEL. Some of it is meant to stay (a bridge, a lock file), so attaching
 * a second time must not leave more than the first.
 */
final class ResidueChecks {
  private static final String SPEC = "spec 2, DEL";

  private ResidueChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        must(
            "residue.container",
            "leaves the container after DEL as it was before ADD: links, addresses, routes, rules",
            SPEC,
            ResidueChecks::container),
        must(
            "residue.host",
            "accumulates nothing on the host over ADD and DEL: links, addresses, routes, rules",
            SPEC,
            ResidueChecks::host),
        must(
            "residue.files",
            "accumulates no files over ADD and DEL in its data, working and temporary directories",
            SPEC,
            ResidueChecks::files),
        must(
            "residue.processes",
            "leaves no process behind, neither when it succeeds nor when it fails",
            "spec 2, overview",
            ResidueChecks::processes));
  }

  private static void container(Lab lab) {
    LabContainer container = lab.container();
    life(lab, container);
    Expect.unchanged("the container", container.before(), container.namespace()::snapshot);
  }

  private static void host(Lab lab) {
    life(lab, lab.container());
    var before = lab.host().snapshot();
    life(lab, lab.restoreVeth(lab.container()));
    Expect.unchanged("the host", before, lab.host()::snapshot);
  }

  private static void files(Lab lab) {
    life(lab, lab.container());
    var before = lab.files().snapshot();
    life(lab, lab.restoreVeth(lab.container()));
    Expect.unchanged("the directories", before, lab.files()::snapshot);
    List<String> about = lab.files().about(lab.container());
    Expect.that(
        about.isEmpty(),
        "no file about container " + lab.container().id(),
        String.join(", ", about));
  }

  private static void life(Lab lab, LabContainer container) {
    lab.detach(lab.attach(lab.version(), container));
    lab.removeVeth(container);
  }

  private static void processes(Lab lab) {
    none(lab, "VERSION", () -> lab.run(VersionChecks.version(lab)));
    none(lab, "an ADD that fails", () -> lab.run(lab.call("ADD").stdin("not JSON")));
    AddedContainer attached = lab.attach();
    none(lab, "ADD", () -> {});
    if (lab.version().isAtLeast(SpecVersion.V0_4_0)) {
      none(lab, "CHECK", () -> lab.run(lab.call("CHECK", attached)));
    }
    none(lab, "DEL", () -> lab.detach(attached));
  }

  private static void none(Lab lab, String occasion, Runnable action) {
    action.run();
    List<ProcessHandle> left = lab.strayProcesses();
    Expect.that(
        left.isEmpty(),
        "no process after " + occasion,
        left.stream()
            .map(
                process -> "%d (%s)".formatted(process.pid(), process.info().command().orElse("?")))
            .collect(Collectors.joining(", ")));
  }
}
