package io.ocicat.image.registry;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * How registries are reached.
 *
 * @param hostsFolder containerd's folder of mirrors: {@code <registry>/hosts.toml}
 * @param connectTimeout for a connection
 * @param noProgress how long a transfer may stand still
 * @param attempts how often something is tried that makes no progress
 * @param firstDelay before the second attempt; doubles with each
 * @param parallel layers that are fetched at a time
 * @param environment variables that name proxies
 */
public record RegistrySettings(
    Path hostsFolder,
    Duration connectTimeout,
    Duration noProgress,
    int attempts,
    Duration firstDelay,
    Duration longestDelay,
    int parallel,
    Map<String, String> environment) {
  public static final RegistrySettings USUAL =
      new RegistrySettings(
          Path.of("/etc/containerd/certs.d"),
          Duration.ofSeconds(30),
          Duration.ofSeconds(60),
          5,
          Duration.ofMillis(500),
          Duration.ofSeconds(15),
          3,
          Map.of());

  public RegistrySettings {
    environment = Map.copyOf(environment);
  }

  public RegistrySettings environment(Map<String, String> variables) {
    return new RegistrySettings(
        hostsFolder,
        connectTimeout,
        noProgress,
        attempts,
        firstDelay,
        longestDelay,
        parallel,
        variables);
  }

  public RegistrySettings hosts(Path folder) {
    return new RegistrySettings(
        folder,
        connectTimeout,
        noProgress,
        attempts,
        firstDelay,
        longestDelay,
        parallel,
        environment);
  }

  public RegistrySettings noProgress(Duration limit) {
    return new RegistrySettings(
        hostsFolder,
        connectTimeout,
        limit,
        attempts,
        firstDelay,
        longestDelay,
        parallel,
        environment);
  }

  public RegistrySettings delays(Duration first, Duration longest) {
    return new RegistrySettings(
        hostsFolder, connectTimeout, noProgress, attempts, first, longest, parallel, environment);
  }
}
