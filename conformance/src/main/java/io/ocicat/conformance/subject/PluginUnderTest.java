package io.ocicat.conformance.subject;

import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginType;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The plugin that is checked, and how it is called.
 *
 * @param path where it finds the plugins it delegates to
 * @param environment its variables in addition to those of the protocol
 * @param limit how long one call may take
 * @param netns the container's namespace, when it should not be a fresh one for every check
 * @param service what is started on each host before the plugin is called
 */
public record PluginUnderTest(
    Path executable,
    Profile profile,
    PluginPath path,
    Map<String, String> environment,
    Duration limit,
    Optional<Path> netns,
    Optional<RequiredService> service) {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  public PluginUnderTest {
    environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
    if (!Files.isRegularFile(executable) || !Files.isExecutable(executable)) {
      throw new ConformanceException(executable + " is not an executable file");
    }
    if (limit.isNegative() || limit.isZero()) {
      throw new ConformanceException("the time limit must be positive");
    }
  }

  /**
   * A plugin with what is known about it by its name.
   *
   * @param kind overrides what the name says
   * @param config replaces the built-in configuration
   */
  public static PluginUnderTest of(
      Path executable, Optional<PluginKind> kind, Optional<byte[]> config) {
    Path absolute = executable.toAbsolutePath().normalize();
    Path file = absolute.getFileName();
    Path directory = absolute.getParent();
    if (file == null || directory == null) {
      throw new ConformanceException(executable + " is not an executable file");
    }
    return new PluginUnderTest(
        absolute,
        ProfileChoice.choose(file.toString(), kind, config),
        PluginPath.of(directory),
        Map.of(),
        LIMIT,
        Optional.empty(),
        Optional.empty());
  }

  public String name() {
    return profile.name();
  }

  /** The IPAM plugin that it delegates to, if there is one in its path. */
  public Optional<Path> ipam() {
    String type = profile.config().at("/ipam/type").asString("");
    try {
      return profile.kind() == PluginKind.INTERFACE && !type.isEmpty()
          ? Optional.of(path.find(new PluginType(type)))
          : Optional.empty();
    } catch (CniException _) {
      return Optional.empty();
    }
  }

  public PluginUnderTest profile(Profile other) {
    return new PluginUnderTest(executable, other, path, environment, limit, netns, service);
  }

  public PluginUnderTest path(PluginPath other) {
    return new PluginUnderTest(executable, profile, other, environment, limit, netns, service);
  }

  public PluginUnderTest environment(Map<String, String> other) {
    return new PluginUnderTest(executable, profile, path, other, limit, netns, service);
  }

  public PluginUnderTest limit(Duration other) {
    return new PluginUnderTest(executable, profile, path, environment, other, netns, service);
  }

  /**
   * The same with an existing container namespace.
   *
   * @throws ConformanceException when it does not exist, or is the machine's own network
   */
  public PluginUnderTest netns(Path other) {
    try (NetNs container = NetNs.open(other);
        NetNs own = NetNs.current()) {
      if (container.id().equals(own.id())) {
        throw new ConformanceException(
            other
                + " is the network namespace of this very command, and not for trying plugins in");
      }
    } catch (NetlinkException e) {
      throw new ConformanceException(
          "%s is not a network namespace (%s)".formatted(other, e.getMessage()), e);
    }
    return new PluginUnderTest(
        executable, profile, path, environment, limit, Optional.of(other), service);
  }

  public PluginUnderTest service(RequiredService other) {
    return new PluginUnderTest(
        executable, profile, path, environment, limit, netns, Optional.of(other));
  }
}
