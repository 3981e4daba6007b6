package io.ocicat.sandbox.network;

import io.ocicat.cni.CniException;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.ConfDirectory;
import io.ocicat.cni.runtime.ConfListing;
import io.ocicat.cni.runtime.ConfProblem;
import io.ocicat.cni.runtime.Network;
import io.ocicat.cni.runtime.NetworkFile;
import io.ocicat.cni.runtime.Validation;
import io.ocicat.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects the default network of a configuration directory by kubelet's rules.
 *
 * <p>Files are tried in the byte order of their names; the first is used that is valid and whose
 * plugins all exist and support its version. (IPAM plugins are not checked.) When there is none,
 * the network that was last used stays the default, because its pods have to be torn down. A file
 * that is just being written, and so cannot be read, does not lose its place to the next one.
 *
 * <p>Thread-safe.
 */
final class DefaultNetwork {
  /** A file that was changed this recently may be incomplete. */
  private static final Duration BEING_WRITTEN = Duration.ofSeconds(1);

  /** The timeout for the plugins' versions. */
  private static final Duration VERSION_TIMEOUT = Duration.ofSeconds(20);

  private static final String IPAM = "ipam.type";

  private final Cni cni;
  private final ConfDirectory directory;
  private final Clock clock;
  private volatile Outcome outcome = new Outcome(null, "not checked yet", List.of());

  /** A network with the capabilities of its plugins. */
  record Chosen(Network network, Path file, Set<String> capabilities) {}

  /**
   * The result of the last check.
   *
   * @param chosen null as long as there was none
   * @param failure why no file of the directory is usable at present; empty when one is
   */
  record Outcome(@Nullable Chosen chosen, String failure, List<String> problems) {
    Outcome {
      problems = List.copyOf(problems);
    }
  }

  DefaultNetwork(Cni cni, Path directory, Clock clock) {
    this.cni = cni;
    this.directory = new ConfDirectory(directory);
    this.clock = clock;
  }

  Outcome outcome() {
    return outcome;
  }

  /** Checks the directory again. */
  synchronized Outcome refresh() {
    Chosen last = outcome.chosen();
    List<String> problems = new ArrayList<>();
    try {
      ConfListing listing = directory.inOrder();
      for (ConfProblem problem : listing.problems()) {
        problems.add(problem.toString());
      }
      if (last != null && isBeingWritten(last.file(), listing.problems())) {
        outcome = new Outcome(last, "", problems);
        return outcome;
      }
      for (NetworkFile file : listing.networks()) {
        Network network = cni.network(file);
        Validation validation = network.within(VERSION_TIMEOUT).validate();
        List<Validation.Finding> fatal =
            validation.problems().stream().filter(found -> !found.path().endsWith(IPAM)).toList();
        validation.problems().forEach(found -> problems.add(found.toString()));
        if (fatal.isEmpty()) {
          outcome =
              new Outcome(
                  new Chosen(network, file.file(), validation.capabilities()), "", problems);
          return outcome;
        }
      }
      String none =
          listing.networks().isEmpty() && listing.problems().isEmpty()
              ? "no networks found in "
              : "no valid networks found in ";
      outcome = new Outcome(last, none + directory.path(), problems);
    } catch (CniException e) {
      outcome = new Outcome(last, SandboxException.text(e), problems);
    }
    return outcome;
  }

  private boolean isBeingWritten(Path file, List<ConfProblem> problems) {
    if (problems.stream().noneMatch(problem -> problem.file().equals(file))) {
      return false;
    }
    try {
      Duration age =
          Duration.between(Files.getLastModifiedTime(file).toInstant(), clock.instant()).abs();
      return age.compareTo(BEING_WRITTEN) < 0;
    } catch (IOException _) {
      return false;
    }
  }
}
