package io.ocicat.cli.doctor;

import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.ConfListing;
import io.ocicat.cni.runtime.ConfProblem;
import io.ocicat.cni.runtime.NetworkFile;
import io.ocicat.cni.runtime.Validation;
import io.ocicat.plugins.Plugins;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Checks the networks that runtimes find, and which of them they use: the first by file name. */
record NetworksCheck(
    Path directory, Cni cni, PluginPath path, Function<Path, Optional<Plugin>> plugins)
    implements DoctorCheck {
  @Override
  public String name() {
    return "networks";
  }

  @Override
  public List<DoctorFinding> run() {
    List<DoctorFinding> findings = new ArrayList<>();
    ConfListing listing = cni.networks();
    for (ConfProblem problem : listing.problems()) {
      findings.add(
          DoctorFinding.problem(
              problem.toString(),
              "runtimes stop at a file they cannot read, or take another network than meant",
              "correct it, or move it out of " + directory));
    }
    if (listing.networks().isEmpty()) {
      findings.add(
          DoctorFinding.problem(
              "there is no network in " + directory,
              "the runtime has nothing to attach containers to; a Kubernetes node stays NotReady",
              "write a conflist there (`ocicat install --calico` writes Calico's, `ocicat install"
                  + " --conflist FILE` puts yours there), or name the directory with --conf-dir"));
      return findings;
    }
    NetworkFile first = listing.networks().getFirst();
    if (listing.networks().size() > 1) {
      findings.add(
          DoctorFinding.note(
              "%d networks are configured; %s is first and is what runtimes use"
                  .formatted(listing.networks().size(), first.file()),
              "runtimes such as containerd take the first file in the order of names",
              "rename the file that should be first"));
    }
    foreign(first).ifPresent(findings::add);
    listing.networks().forEach(network -> validate(network, findings));
    findings.addAll(Permissions.openToOthers(directory, "a network, and so any program as root"));
    return findings;
  }

  private static Optional<DoctorFinding> foreign(NetworkFile first) {
    List<String> others =
        first.list().plugins().stream()
            .map(PluginConfig::type)
            .filter(type -> !Plugins.names().contains(type))
            .toList();
    return others.isEmpty()
        ? Optional.empty()
        : Optional.of(
            DoctorFinding.warning(
                "the first network, %s, uses plugins that are not ours: %s"
                    .formatted(first.file(), String.join(", ", others)),
                "those calls never reach ocicatd, so nothing here knows of them",
                "nothing if that is meant; otherwise give our conflist a name that sorts first"));
  }

  private void validate(NetworkFile network, List<DoctorFinding> findings) {
    Validation validation = cni.network(network).validate(plugins);
    for (Validation.Finding problem : validation.problems()) {
      findings.add(
          DoctorFinding.problem(
              problem.toString(),
              "ADD fails with code %s for every container of %s"
                  .formatted(problem.code(), network.name()),
              isMissing(problem, network)
                  ? "install the plugin (`ocicat install --bin-dir %s` brings ours), or name the directory that has it with --cni-path"
                      .formatted(
                          path.directories().isEmpty() ? "DIR" : path.directories().getFirst())
                  : "correct the field in " + network.file()));
    }
    for (Validation.Finding warning : validation.warnings()) {
      findings.add(
          DoctorFinding.note(
              warning.toString(), "it is probably not what was meant", "look at the field"));
    }
  }

  /** Whether the plugin's type is valid and only its executable is missing. */
  private boolean isMissing(Validation.Finding problem, NetworkFile network) {
    return problem.path().endsWith("type")
        && problem.code().equals(ErrorCode.INVALID_NETWORK_CONFIG)
        && network.list().plugins().stream()
            .flatMap(plugin -> Stream.of(plugin.type(), plugin.ipamType()))
            .anyMatch(type -> !type.isEmpty() && !isInstalled(type));
  }

  private boolean isInstalled(String type) {
    return path.directories().stream()
        .anyMatch(folder -> Files.isRegularFile(folder.resolve(type)));
  }
}
