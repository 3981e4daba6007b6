package io.ocicat.cni.exec;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A plugin execution: the executable, its environment (the whole of it, not only the CNI variables)
 * and the request on stdin.
 *
 * @param limit how long it may run before it is stopped
 */
public record Invocation(
    Path executable, Map<String, String> environment, PluginStdin stdin, Duration limit) {
  public Invocation {
    environment = Map.copyOf(environment);
  }

  public Invocation(
      Path executable, Map<String, String> environment, byte[] stdin, Duration limit) {
    this(executable, environment, PluginStdin.of(stdin), limit);
  }
}
