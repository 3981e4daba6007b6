package io.ocicat.sandbox.container;

import java.nio.file.Path;
import java.util.Map;

/**
 * A configuration that was checked as far as possible without its sandbox.
 *
 * @param hostPaths the real paths of mounts and devices on the host, by the paths in the
 *     configuration
 */
public record PreparedContainer(ContainerConfig config, Map<String, Path> hostPaths) {
  public PreparedContainer {
    hostPaths = Map.copyOf(hostPaths);
  }
}
