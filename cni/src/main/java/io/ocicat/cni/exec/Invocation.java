package io.ocicat.cni.exec;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A plugin execution: the executable, its environment (the whole of it, not only the CNI variables)
 * and the request on stdin.
 *
 * @param limit how long it may run before it is stopped
 * @param ipam whether another plugin delegates the allocation of addresses to it
 */
public record Invocation(
    Path executable,
    Map<String, String> environment,
    PluginStdin stdin,
    Duration limit,
    boolean ipam) {
  public Invocation {
    environment = Map.copyOf(environment);
  }

  /** Of any plugin in its own right. */
  public Invocation(
      Path executable, Map<String, String> environment, PluginStdin stdin, Duration limit) {
    this(executable, environment, stdin, limit, false);
  }

  /** The same with a request that was never parsed. */
  public Invocation(
      Path executable, Map<String, String> environment, byte[] stdin, Duration limit) {
    this(executable, environment, PluginStdin.of(stdin), limit);
  }

  /** The same in another environment. */
  public Invocation in(Map<String, String> other) {
    return new Invocation(executable, other, stdin, limit, ipam);
  }

  /** The value of CNI_COMMAND; empty when it is not set. */
  public String command() {
    return environment.getOrDefault(CniEnvironment.COMMAND, "");
  }
}
