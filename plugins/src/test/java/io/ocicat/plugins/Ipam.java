package io.ocicat.plugins;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.Deadline;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.datastore.Datastores;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Output;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An IPAM plugin, called by either side as with {@link Attaching}. It touches no network, so there
 * is no host and no container around it.
 *
 * @param resident our plugin, if it is to serve many calls as in a daemon; otherwise each call
 *     creates one
 */
public record Ipam(
    Side side,
    String plugin,
    @Nullable Plugin resident,
    String config,
    Map<String, String> variables)
    implements Verbs {
  public Ipam {
    variables = Map.copyOf(variables);
  }

  public static Ipam of(String plugin, String config) {
    return new Ipam(
        Side.OURS,
        plugin,
        null,
        config,
        Map.of(
            "CNI_CONTAINERID", "ctr",
            "CNI_IFNAME", "eth0",
            "CNI_NETNS", "/run/netns/not-looked-at",
            "CNI_PATH", "/nowhere"));
  }

  public Ipam by(Side newSide) {
    return new Ipam(newSide, plugin, resident, config, variables);
  }

  public Ipam resident(Plugin newResident) {
    return new Ipam(side, plugin, newResident, config, variables);
  }

  public Ipam withConfig(String newConfig) {
    return new Ipam(side, plugin, resident, newConfig, variables);
  }

  public Ipam container(String id) {
    return with("CNI_CONTAINERID", id);
  }

  public Ipam with(String variable, String value) {
    Map<String, String> changed = new HashMap<>(variables);
    changed.put(variable, value);
    return new Ipam(side, plugin, resident, config, changed);
  }

  @Override
  public Ran run(String verb) {
    Map<String, String> environment = new HashMap<>(variables);
    environment.put("CNI_COMMAND", verb);
    return switch (side) {
      case OURS -> runOurs(environment);
      case GO -> runGo(environment);
    };
  }

  private Ran runOurs(Map<String, String> environment) {
    Plugin ours =
        resident == null ? Plugins.named(plugin, new Datastores()).orElseThrow() : resident;
    PluginHost host = PluginHost.process().withDeadline(Deadline.in(Duration.ofSeconds(60)));
    PluginReply reply = Dispatcher.dispatch(ours, host, environment, config.getBytes(UTF_8));
    return new Ran(
        plugin + " " + environment,
        reply.exitCode(),
        new String(reply.stdout(), UTF_8),
        reply.stderr());
  }

  private Ran runGo(Map<String, String> environment) {
    Command command = Command.of(side.path() + "/" + plugin).stdin(config);
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      command = command.env(variable.getKey(), variable.getValue());
    }
    Output output = command.attempt();
    return new Ran(
        "go " + plugin + " " + environment, output.exitCode(), output.stdout(), output.stderr());
  }
}
