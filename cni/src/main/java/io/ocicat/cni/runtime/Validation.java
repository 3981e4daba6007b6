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
 * Whether a network can work, found out without touching any network.
 *
 * @param capabilities those that its plugins have, which is what they can be given arguments for
 * @param problems why ADD would fail
 * @param warnings what is allowed and probably not meant
 */
public record Validation(Set<String> capabilities, List<Finding> problems, List<Finding> warnings) {
  public Validation {
    capabilities = Collections.unmodifiableSet(new LinkedHashSet<>(capabilities));
    problems = List.copyOf(problems);
    warnings = List.copyOf(warnings);
  }

  /**
   * One thing to mend.
   *
   * @param file that has the field; null when the network is not from a file
   * @param path of the field, such as {@code plugins[1].ipam.type}; empty for the whole document
   * @param code what ADD would report
   */
  public record Finding(@Nullable Path file, String path, ErrorCode code, String reason) {
    @Override
    public String toString() {
      return (file == null ? "" : file + ": ") + (path.isEmpty() ? "" : path + ": ") + reason;
    }
  }

  public boolean isValid() {
    return problems.isEmpty();
  }

  /**
   * The capabilities.
   *
   * @throws CniException with all problems, as libcni words it: {@code [first second]}
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
