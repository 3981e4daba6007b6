package io.ocicat.cni.plugin;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/**
 * How to open the network namespaces of a call.
 *
 * @param host the namespace of the plugin's caller, which is the plugin's "host"
 * @param held paths to open in place of namespace names, by name. A daemon maps a name to the
 *     descriptor it was sent, as {@code /proc/self/fd/7}, or to a path that does not exist when its
 *     caller could not open the name.
 */
public record Namespaces(Path host, Map<String, Path> held) {
  /** Those of the calling thread, as for a process that it starts. */
  public static final Namespaces OWN =
      new Namespaces(Path.of("/proc/thread-self/ns/net"), Map.of());

  public Namespaces {
    held = Map.copyOf(held);
  }

  /** Of a daemon that received both namespaces from its caller. */
  public static Namespaces received(Path host, String netns, Path container) {
    return new Namespaces(host, Map.of(netns, container));
  }

  Netns container(String netns) {
    Path path = held.get(netns);
    try {
      return new Netns(netns, path == null ? Path.of(netns) : path);
    } catch (InvalidPathException e) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT,
          "CNI_NETNS is no path: %s".formatted(Quoted.brief(netns)),
          e);
    }
  }
}
