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
 * Which network of a configuration directory is the default: kubelet's rules.
 *
 * <p>Files are gone through in the order of their names' bytes; the first counts that can be read
 * and whose plugins are all there and know its version. (Those of IPAM are not looked for.) When
 * none does, the network that was the last to count goes on to, because pods of it have to be taken
 * down. A file that cannot be read because somebody is writing it just now does not lose its place
 * to the next one.
 *
 * <p>Thread-safe.
 */
final class DefaultNetwork {
  /** A file that was changed this recently may be half of what it is going to be. */
  private static final Duration BEING_WRITTEN = Duration.ofSeconds(1);

  /** For the plugins to tell their versions. */
  private static final Duration LOOKING = Duration.ofSeconds(20);

  private static final String IPAM = "ipam.type";

  private final Cni cni;
  private final ConfDirectory directory;
  private final Clock clock;
  private volatile Outcome outcome = new Outcome(null, "nobody has looked yet", List.of());

  /** A network with the capabilities that its plugins have. */
  record Chosen(Network network, Path file, Set<String> capabilities) {}

  /**
   * What the last look came to.
   *
   * @param chosen null as long as there was none
   * @param failure why nothing in the directory counts at present; empty when something does
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

  Path directory() {
    return directory.path();
  }

  /** Looks again. */
  synchronized Outcome look() {
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
        Validation validation = network.within(LOOKING).validate();
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
