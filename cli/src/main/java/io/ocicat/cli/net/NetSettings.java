package io.ocicat.cli.net;

import io.ocicat.base.BootId;
import io.ocicat.cli.options.CniOptions;
import io.ocicat.cli.terminal.PluginMessages;
import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.exec.TraceContext;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.ConfListing;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The environment of {@code ocicat net}: the variables that cnitool reads, and how plugins are run.
 *
 * @param environment NETCONFPATH, CNI_PATH, CNI_ARGS, CAP_ARGS, CNI_IFNAME and all that plugins
 *     inherit; where ocicatd keeps its records
 * @param ownPlugins where to search when CNI_PATH is unset: the plugins of this distribution, if it
 *     is one
 * @param plugins the plugin that an executable is, if it is one of ours
 */
public record NetSettings(
    Map<String, String> environment,
    Optional<Path> ownPlugins,
    PluginExec exec,
    Function<Path, Optional<Plugin>> plugins) {
  public NetSettings {
    environment = Map.copyOf(environment);
  }

  PluginMessages messages(PrintWriter err) {
    return new PluginMessages(err, variable("OCICAT_DEBUG").filter("1"::equals).isPresent());
  }

  Cni cni(CniOptions options, PrintWriter err, PluginMessages messages) {
    return Cni.builder()
        .confDirectory(options.confDirectory(this::variable))
        .pluginPath(
            options.pluginPath(this::variable, ownPlugins).orElseGet(() -> PluginPath.parse("")))
        .cacheDirectory(options.cacheDirectory())
        .environment(environment)
        .exec(exec)
        .pluginLog(messages)
        .warnings(warning -> err.println("ocicat: " + warning))
        .traceContext(() -> TraceContext.from(environment))
        // A command by hand should show things as they are: the present configuration, and no
        // implicit DEL.
        .delPrefersCachedConfig(false)
        .build();
  }

  /**
   * The configured networks. Runtimes treat a missing directory as an empty one; a user has
   * probably mistyped it.
   */
  ConfListing networks(CniOptions options, Cni cni) {
    Path directory = options.confDirectory(this::variable);
    if (Files.notExists(directory)) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "the directory %s does not exist, so no network is configured: make it, or name another with --conf-dir or NETCONFPATH"
              .formatted(directory));
    }
    return cni.networks();
  }

  /** Stricter than plugins are: cnitool requires a key and a value in each pair. */
  CniArgs args() {
    String text = variable("CNI_ARGS").orElse("");
    if (text.isEmpty()) {
      return CniArgs.NONE;
    }
    for (String pair : text.split(";", -1)) {
      String[] parts = pair.split("=", -1);
      if (parts.length != 2 || parts[0].isEmpty() || parts[1].isEmpty()) {
        throw new CniException(
            ErrorCode.INVALID_ENVIRONMENT, "invalid CNI_ARGS pair \"%s\"".formatted(pair));
      }
    }
    return CniArgs.parse(text);
  }

  /** CAP_ARGS: an object with an entry for each capability. */
  Map<String, JsonNode> capabilityArgs() {
    Optional<String> text = variable("CAP_ARGS");
    if (text.isEmpty()) {
      return Map.of();
    }
    JsonNode json;
    try {
      json = CniJson.parse(text.get());
    } catch (CniException e) {
      throw e.prefixed("CAP_ARGS: ");
    }
    if (!(json instanceof ObjectNode object)) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT,
          "CAP_ARGS must be a JSON object such as {\"portMappings\":[…]}");
    }
    return object.properties().stream()
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** The records of ocicatd and of calls without it. */
  DaemonState state() {
    return new DaemonState(StateFolders.of(environment), BootId.current());
  }

  Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }
}
