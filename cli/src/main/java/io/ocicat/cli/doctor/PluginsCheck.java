package io.ocicat.cli.doctor;

import io.ocicat.cni.exec.PluginPath;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.plugins.Plugins;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks the directories that runtimes execute plugins from. */
record PluginsCheck(PluginPath path, PluginExecutables ours) implements DoctorCheck {
  @Override
  public String name() {
    return "plugins";
  }

  @Override
  public List<DoctorFinding> run() {
    List<DoctorFinding> findings = new ArrayList<>();
    for (Path directory : path.directories()) {
      if (!Files.isDirectory(directory)) {
        findings.add(
            DoctorFinding.problem(
                directory + " is no directory",
                "the runtime finds no plugin there",
                "run `ocicat install --bin-dir %s`, or name another with --cni-path"
                    .formatted(directory)));
        continue;
      }
      findings.addAll(Permissions.openToOthers(directory, "what runs as root for every container"));
      findings.addAll(others(directory));
    }
    return findings;
  }

  private List<DoctorFinding> others(Path directory) {
    List<String> foreign = new ArrayList<>();
    List<DoctorFinding> findings = new ArrayList<>();
    for (String name : Plugins.names()) {
      Path file = directory.resolve(name);
      if (Files.isRegularFile(file) && !Files.isExecutable(file)) {
        findings.add(
            DoctorFinding.problem(
                file + " cannot be executed", "ADD fails with it", "chmod 755 " + file));
      } else if (Files.isRegularFile(file) && ours.find(file).isEmpty()) {
        foreign.add(name);
      }
    }
    if (!foreign.isEmpty()) {
      findings.add(
          DoctorFinding.note(
              "in %s these are not ours, or of another version: %s"
                  .formatted(directory, String.join(", ", foreign)),
              "calls of them do not reach ocicatd; they work all the same",
              "run `ocicat install --bin-dir %s` to use ours".formatted(directory)));
    }
    return findings;
  }
}
