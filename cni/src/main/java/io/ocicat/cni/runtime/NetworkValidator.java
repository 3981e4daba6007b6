package io.ocicat.cni.runtime;

import io.ocicat.base.Deadline;
import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.VersionReply;
import io.ocicat.cni.plugin.Plugin;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds every reason why a network could not work: each executable, also that of IPAM, must exist
 * and support the version, and must accept its configuration if it is available for review. For one
 * use.
 */
final class NetworkValidator {
  private final RuntimeContext engine;
  private final PluginChain chain;
  private final @Nullable NetworkFile source;
  private final Function<Path, Optional<Plugin>> plugins;
  private final Deadline deadline;
  private final Set<String> capabilities = new LinkedHashSet<>();
  private final List<Validation.Finding> problems = new ArrayList<>();
  private final List<Validation.Finding> warnings = new ArrayList<>();

  NetworkValidator(
      RuntimeContext engine,
      PluginChain chain,
      @Nullable NetworkFile source,
      Function<Path, Optional<Plugin>> plugins) {
    this.engine = engine;
    this.chain = chain;
    this.source = source;
    this.plugins = plugins;
    this.deadline = engine.settings().deadline();
  }

  Validation run() {
    Place list = new Place(source == null ? null : source.file(), "");
    String version = version(list);
    if (chain.plugins().isEmpty()) {
      problem(list, "plugins", ErrorCode.INVALID_NETWORK_CONFIG, "no plugin configs found");
    }
    for (int i = 0; i < chain.plugins().size(); i++) {
      plugin(chain.plugins().get(i), placeOf(i), version);
    }
    return new Validation(capabilities, problems, warnings);
  }

  /** The file that contains a plugin, and the plugin's path in it. */
  private record Place(@Nullable Path file, String plugin) {
    String path(String member) {
      return plugin.isEmpty() || member.isEmpty() ? plugin + member : plugin + "." + member;
    }

    Validation.Finding finding(ConfigReview.Mistake mistake) {
      return new Validation.Finding(file, path(mistake.path()), mistake.code(), mistake.reason());
    }
  }

  private Place placeOf(int plugin) {
    if (chain.single()) {
      return new Place(null, "");
    }
    if (source == null) {
      return new Place(null, "plugins[" + plugin + "]");
    }
    int inFolder = plugin - (chain.plugins().size() - source.folderFiles().size());
    if (inFolder >= 0) {
      return new Place(source.folderFiles().get(inFolder), "");
    }
    return new Place(source.file(), isListFile() ? "plugins[" + plugin + "]" : "");
  }

  private boolean isListFile() {
    return source != null && ConfReader.isList(source.file());
  }

  private void plugin(PluginConfig plugin, Place place, String version) {
    support(place, "type", plugin.type(), version);
    if (!plugin.ipamType().isEmpty()) {
      support(place, "ipam.type", plugin.ipamType(), version);
    }
    plugin
        .capabilities()
        .forEach(
            (name, enabled) -> {
              if (enabled) {
                capabilities.add(name);
              }
            });
    for (String ignored : plugin.request(chain.network().value(), version).warnings()) {
      warnings.add(
          new Validation.Finding(place.file, place.plugin, ErrorCode.UNSUPPORTED_FIELD, ignored));
    }
    if (SpecVersion.find(version).isPresent()) {
      review(plugin, place, version);
    }
  }

  private void review(PluginConfig plugin, Place place, String version) {
    ConfigReview review = new ConfigReview(this::atHand);
    review.run(plugin, chain.network().value(), version);
    review.problems().forEach(mistake -> problems.add(place.finding(mistake)));
    review.warnings().forEach(mistake -> warnings.add(place.finding(mistake)));
  }

  /** The plugin of a type; a missing one has already been reported. */
  private Optional<Plugin> atHand(String type) {
    try {
      return plugins.apply(engine.calls().find(type));
    } catch (CniException _) {
      return Optional.empty();
    }
  }

  /** The version to ask for; an unknown one is the list's mistake, not each plugin's. */
  private String version(Place list) {
    String version = chain.version();
    try {
      version = engine.negotiated(chain, deadline).version();
    } catch (CniException e) {
      // A plugin that cannot be asked is a separate problem.
      if (e.is(ErrorCode.INCOMPATIBLE_VERSION)) {
        problem(list, "cniVersions", e.code(), String.valueOf(e.getMessage()));
      }
    }
    if (SpecVersion.find(version).isEmpty()) {
      problem(
          list,
          "cniVersion",
          ErrorCode.INCOMPATIBLE_VERSION,
          "unsupported CNI version %s: known versions are %s"
              .formatted(
                  Quoted.brief(version),
                  String.join(", ", SpecVersion.textsFrom(SpecVersion.V0_1_0))));
    }
    return version;
  }

  private void support(Place place, String member, String type, String version) {
    try {
      Path executable = engine.calls().find(type);
      VersionReply reply = engine.versions().of(executable, deadline);
      if (!reply.supports(version)) {
        problems.add(
            new Validation.Finding(
                place.file,
                place.path(member),
                ErrorCode.INCOMPATIBLE_VERSION,
                "plugin %s does not support config version %s"
                    .formatted(type, Quoted.of(version.isEmpty() ? "0.1.0" : version)),
                type));
      }
    } catch (CniException e) {
      problem(place, member, e.code(), String.valueOf(e.getMessage()));
    }
  }

  private void problem(Place place, String member, ErrorCode code, String reason) {
    problems.add(new Validation.Finding(place.file, place.path(member), code, reason));
  }
}
