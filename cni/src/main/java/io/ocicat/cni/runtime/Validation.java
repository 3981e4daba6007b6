package io.ocicat.cni.runtime;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of validating a network, without touching any network.
 *
 * @param capabilities of its plugins, for which they accept arguments
 * @param problems why ADD would fail
 * @param warnings what is allowed but probably a mistake
 */
public record Validation(Set<String> capabilities, List<Finding> problems, List<Finding> warnings) {
  public Validation {
    capabilities = Collections.unmodifiableSet(new LinkedHashSet<>(capabilities));
    problems = List.copyOf(problems);
    warnings = List.copyOf(warnings);
  }

  /**
   * One thing to fix.
   *
   * @param file that has the field; null when the network is not from a file
   * @param path of the field, such as {@code plugins[1].ipam.type}; empty for the whole document
   * @param code what ADD would report
   * @param tooOld the plugin that does not support the configuration's version, if that is the
   *     problem; otherwise empty
   */
  public record Finding(
      @Nullable Path file, String path, ErrorCode code, String reason, String tooOld) {
    Finding(@Nullable Path file, String path, ErrorCode code, String reason) {
      this(file, path, code, reason, "");
    }

    @Override
    public String toString() {
      return (file == null ? "" : file + ": ") + (path.isEmpty() ? "" : path + ": ") + reason;
    }
  }

  /** All problems in one line for people; a problem of several plugins is reported once. */
  public String summary() {
    Set<String> reasons = new LinkedHashSet<>();
    List<Finding> tooOld = problems.stream().filter(one -> !one.tooOld().isEmpty()).toList();
    for (Finding problem : problems) {
      if (problem.tooOld().isEmpty() || tooOld.size() == 1) {
        reasons.add(problem.reason());
      } else {
        reasons.add(
            "plugins %s do not support the cniVersion of the configuration: lower it, or install newer ones"
                .formatted(String.join(", ", tooOld.stream().map(Finding::tooOld).toList())));
      }
    }
    return String.join("; ", reasons);
  }

  public boolean isValid() {
    return problems.isEmpty();
  }

  /**
   * The capabilities.
   *
   * @throws CniException with all problems, in libcni's format: {@code [first second]}
   */
  public Set<String> orThrow() {
    if (!isValid()) {
      throw new CniException(
          problems.getFirst().code(),
          String.join(" ", problems.stream().map(Finding::reason).toList())
              .transform(all -> "[" + all + "]"));
    }
    return capabilities;
  }
}
