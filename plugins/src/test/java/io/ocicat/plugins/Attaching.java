package io.ocicat.plugins;

import io.ocicat.testkit.Host;
import java.util.HashMap;
import java.util.Map;

/**
 * One attachment that a test adds and deletes: a plugin with its configuration, and a container on
 * a host. Each verb can be run by either side, so that one finishes what the other began.
 *
 * <pre>{@code
 * Attaching eth0 = Attaching.of("bridge", host, pod, config);
 * JsonNode result = eth0.by(OURS).add().ok();
 * eth0.by(GO).withPrevious(result).del().ok();
 * }</pre>
 */
public record Attaching(
    Side side, String plugin, Host host, String netns, String config, Map<String, String> variables)
    implements Verbs {
  public Attaching {
    variables = Map.copyOf(variables);
  }

  public static Attaching of(String plugin, Host host, Host container, String config) {
    return new Attaching(
        Side.OURS,
        plugin,
        host,
        container.path().toString(),
        config,
        Map.of("CNI_CONTAINERID", container.name(), "CNI_IFNAME", "eth0"));
  }

  public Attaching by(Side newSide) {
    return new Attaching(newSide, plugin, host, netns, config, variables);
  }

  /** With a variable set, including CNI_PATH, so that delegates of the other side can be used. */
  public Attaching with(String variable, String value) {
    Map<String, String> changed = new HashMap<>(variables);
    changed.put(variable, value);
    return new Attaching(side, plugin, host, netns, config, changed);
  }

  public Attaching withConfig(String newConfig) {
    return new Attaching(side, plugin, host, netns, newConfig, variables);
  }

  public Attaching withNetns(String newNetns) {
    return new Attaching(side, plugin, host, newNetns, config, variables);
  }

  @Override
  public Ran run(String command) {
    Map<String, String> environment = new HashMap<>(Map.of("PATH", System.getenv("PATH")));
    environment.put("CNI_PATH", side.path());
    environment.putAll(variables);
    environment.put("CNI_COMMAND", command);
    environment.put("CNI_NETNS", netns);
    return side.run(host, plugin, environment, config);
  }
}
