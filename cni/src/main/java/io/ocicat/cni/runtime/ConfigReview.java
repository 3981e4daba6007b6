package io.ocicat.cni.runtime;

import io.ocicat.base.json.FieldAccessListener;
import io.ocicat.base.json.InvalidFieldsException;
import io.ocicat.base.json.Problems.Problem;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.Plugin;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Lets the available plugins review a plugin's configuration as ADD would read it: the plugin
 * itself, its IPAM plugin, and its other delegates. For one use.
 */
final class ConfigReview {
  /** A delegate's delegate is an IPAM plugin at most. */
  private static final int DEEPEST = 4;

  private static final String IPAM = "ipam";

  private final Function<String, Optional<Plugin>> known;
  private final List<Mistake> problems = new ArrayList<>();
  private final List<Mistake> warnings = new ArrayList<>();
  private final Set<String> asked = new HashSet<>();
  private final Set<String> readers = new LinkedHashSet<>();
  private boolean othersHaveIpam;

  /**
   * A problem with the member at {@code path}, or with the whole configuration when that is empty.
   */
  record Mistake(String path, ErrorCode code, String reason) {}

  /**
   * @param known the plugin of a type, if available
   */
  ConfigReview(Function<String, Optional<Plugin>> known) {
    this.known = known;
  }

  List<Mistake> problems() {
    return problems;
  }

  List<Mistake> warnings() {
    return warnings;
  }

  /** Reviews what a file contains as the plugin would receive it. */
  void run(PluginConfig file, String network, String version) {
    if (known.apply(file.type()).isEmpty()) {
      return;
    }
    PluginConfig request;
    try {
      request = file.request(network, version).keepCapabilities().toConfig();
    } catch (CniException e) {
      complain(file.type(), "", e);
      return;
    }
    read(new Delegation(file.type(), request, ""), "", DEEPEST);
    if (problems.isEmpty()) {
      warn(file);
    }
  }

  /**
   * @param at where in the file the members are that it reads
   */
  private void read(Delegation asking, String at, int depth) {
    Optional<Plugin> plugin = known.apply(asking.type());
    if (plugin.isEmpty() || depth == 0) {
      othersHaveIpam = true;
      return;
    }
    readers.add(asking.type());
    List<Delegation> delegations = new ArrayList<>();
    try {
      FieldAccessListener.during(
          path -> asked.add(inFile(at, path)),
          () -> {
            PluginConfig config = PluginConfig.ofRequest(asking.config().json());
            delegations.addAll(plugin.get().review(config));
          });
    } catch (CniException e) {
      complain(asking.type(), at, e);
    } catch (RuntimeException e) {
      complain(asking.type(), at, new CniException(ErrorCode.INTERNAL, e.toString(), e));
    }
    for (Delegation next : delegations) {
      read(next, next.at().isEmpty() ? at : next.at(), depth - 1);
    }
  }

  private static String inFile(String at, String path) {
    boolean same = at.isEmpty() || path.equals(IPAM) || path.startsWith(IPAM + ".");
    return same ? path : path.isEmpty() ? at : at + "." + path;
  }

  private void complain(String type, String at, CniException e) {
    Optional<InvalidFieldsException> fields = InvalidFieldsException.in(e);
    if (fields.isEmpty()) {
      problems.add(new Mistake(at, e.code(), "%s: %s".formatted(type, e.getMessage())));
      return;
    }
    for (Problem problem : fields.get().problems()) {
      problems.add(
          new Mistake(inFile(at, problem.path()), e.code(), "%s: %s".formatted(type, problem)));
    }
  }

  private void warn(PluginConfig file) {
    for (UnusedMembers.Unread unread :
        UnusedMembers.of(file.json(), asked, othersHaveIpam ? IPAM : "")) {
      warnings.add(
          new Mistake(
              unread.path(),
              ErrorCode.UNSUPPORTED_FIELD,
              "%s: %s is not read%s"
                  .formatted(String.join(", ", readers), unread.path(), unread.describe())));
    }
  }
}
