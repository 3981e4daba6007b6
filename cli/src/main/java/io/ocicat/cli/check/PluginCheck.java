package io.ocicat.cli.check;

import io.ocicat.base.Deadline;
import io.ocicat.cli.check.Discrepancy.Kind;
import io.ocicat.cni.CniException;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.daemon.state.CallRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs CHECK of our plugins: it covers leases of any IPAM, nf_tables rules, and all that only the
 * plugins know. CHECK changes nothing, and runs in this process; external plugins are not called.
 * Not thread-safe.
 */
final class PluginCheck {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** Error codes of a plugin whose datastore or server does not reply. */
  private static final Set<Integer> UNREACHABLE = Set.of(5, 11, 50, 51);

  private final Function<String, Optional<Plugin>> plugins;

  /**
   * Plugins that could not reach their server once: trying again for each attachment would take
   * minutes.
   */
  private final Set<String> unreachable = new HashSet<>();

  PluginCheck(Function<String, Optional<Plugin>> plugins) {
    this.plugins = plugins;
  }

  /**
   * The result of CHECK of one plugin of the chain.
   *
   * @param host path of the host's namespace
   * @param result the last plugin's
   */
  Optional<Discrepancy> run(CallRecord request, Path host, Result result) {
    Optional<Plugin> plugin = plugins.apply(request.plugin());
    Optional<PluginConfig> config = config(request, result);
    if (plugin.isEmpty() || config.isEmpty()) {
      return Optional.empty();
    }
    if (unreachable.contains(request.plugin())) {
      return Optional.of(unknown(request.plugin(), "as for the attachment before"));
    }
    Delegates delegates = new Delegates(new Namespaces(host, Map.of()));
    PluginHost pluginHost =
        new PluginHost(delegates.namespaces, delegates, Deadline.in(LIMIT), _ -> {});
    PluginReply reply =
        Dispatcher.dispatch(
            plugin.get(),
            pluginHost,
            CniEnvironment.delegated(request.environment(), Verb.CHECK),
            PluginStdin.of(config.get()));
    return reply.exitCode() == 0
        ? Optional.empty()
        : Optional.of(failure(request.plugin(), delegates.failedIpam, reply));
  }

  /** The configuration for CHECK; empty for versions without CHECK. */
  private static Optional<PluginConfig> config(CallRecord request, Result result) {
    try {
      PluginConfig recorded = PluginConfig.ofRequest(request.stdin());
      SpecVersion version = recorded.specVersion();
      // Results of 0.3.0 and 0.3.1 have the form of those of 0.4.0, which has CHECK.
      SpecVersion checked = version.isAtLeast(SpecVersion.V0_4_0) ? version : SpecVersion.V0_4_0;
      if (!version.isAtLeast(SpecVersion.V0_3_0)) {
        return Optional.empty();
      }
      ObjectNode json = recorded.json();
      json.put("cniVersion", checked.text());
      json.set("prevResult", result.toJson(checked));
      return Optional.of(PluginConfig.ofRequest(json));
    } catch (CniException _) {
      return Optional.empty();
    }
  }

  private Discrepancy failure(String plugin, Optional<String> ipam, PluginReply reply) {
    CniException error = reply.failure().orElseThrow();
    String message = String.valueOf(error.getMessage());
    if (UNREACHABLE.contains(error.code().value())) {
      unreachable.add(plugin);
      return unknown(plugin, message);
    }
    if (ipam.isPresent()) {
      return new Discrepancy(
          Kind.LEASE,
          "%s's lease of the address".formatted(ipam.get()),
          message,
          "",
          "another container can get the address: restart the pod");
    }
    Kind kind =
        error.reason().equals(Optional.of(FailureReason.MASQUERADE_MISSING))
            ? Kind.MASQUERADE
            : plugin.equals("portmap") ? Kind.PORT_MAP : Kind.PLUGIN;
    String object =
        switch (kind) {
          case MASQUERADE -> "masquerading of what leaves the container";
          case PORT_MAP -> "host ports that lead to the container";
          default -> plugin;
        };
    return new Discrepancy(kind, object, message, "", "somebody changed it: restart the pod");
  }

  private static Discrepancy unknown(String plugin, String why) {
    return new Discrepancy(
        Kind.UNKNOWN,
        plugin,
        "could not check: " + why,
        "",
        "make sure that %s reaches what it needs, then try again".formatted(plugin));
  }

  /** Runs the plugins that one delegates to, and records IPAM's refusal. */
  private final class Delegates implements PluginExec {
    private final Namespaces namespaces;
    private final PluginExec inProcess;
    private Optional<String> failedIpam = Optional.empty();

    Delegates(Namespaces namespaces) {
      this.namespaces = namespaces;
      this.inProcess =
          new InProcessExec(
              executable -> plugins.apply(name(executable)), _ -> PluginReply.done(""), namespaces);
    }

    @Override
    public PluginReply run(Invocation invocation) {
      PluginReply reply = inProcess.run(invocation);
      if (reply.exitCode() != 0 && invocation.ipam()) {
        failedIpam = Optional.of(name(invocation.executable()));
      }
      return reply;
    }

    private static String name(Path executable) {
      return String.valueOf(executable.getFileName());
    }
  }
}
