package io.ocicat.cni.plugin;

import static io.ocicat.cni.exec.CniEnvironment.COMMAND;
import static io.ocicat.cni.exec.CniEnvironment.CONTAINER_ID;
import static io.ocicat.cni.exec.CniEnvironment.IFNAME;
import static io.ocicat.cni.exec.CniEnvironment.NETNS;
import static io.ocicat.cni.exec.CniEnvironment.PATH;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.exec.Verb;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The variables that each verb requires. Go's skeleton also requires CNI_PATH where the
 * specification does not; here it is only an error when a delegate must be found.
 */
final class RequiredVariables {
  /** In the order in which they are checked and reported. */
  private static final List<String> ORDER = List.of(COMMAND, CONTAINER_ID, NETNS, IFNAME, PATH);

  private RequiredVariables() {}

  private static Set<String> required(Verb verb) {
    return switch (verb) {
      case ADD, CHECK -> Set.of(COMMAND, CONTAINER_ID, NETNS, IFNAME);
      case DEL -> Set.of(COMMAND, CONTAINER_ID, IFNAME);
      case GC -> Set.of(COMMAND, PATH);
      case STATUS, VERSION -> Set.of(COMMAND);
    };
  }

  /**
   * Checks them. An invalid value is reported at once, even if another variable is missing; an
   * empty one counts as missing.
   *
   * @throws CniException with code 4
   */
  static void check(Map<String, String> environment) {
    String command = environment.getOrDefault(COMMAND, "");
    Set<String> required =
        Verb.find(command).map(RequiredVariables::required).orElse(Set.of(COMMAND));
    List<String> missing = new ArrayList<>();
    for (String name : ORDER) {
      String value = environment.getOrDefault(name, "");
      if (required.contains(name)) {
        if (value.isEmpty()) {
          missing.add(name);
        } else {
          validate(name, value);
        }
      }
    }
    if (!missing.isEmpty()) {
      throw missing(missing.toArray(String[]::new));
    }
  }

  private static void validate(String name, String value) {
    if (name.equals(CONTAINER_ID)) {
      new ContainerId(value);
    } else if (name.equals(IFNAME)) {
      new InterfaceName(value);
    }
  }

  static CniException missing(String... names) {
    return new CniException(
        ErrorCode.INVALID_ENVIRONMENT,
        "required env variables [%s] missing".formatted(String.join(",", names)));
  }
}
