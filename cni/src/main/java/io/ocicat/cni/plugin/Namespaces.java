package io.ocicat.cni.plugin;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.json.Quoted;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The ways into the network namespaces of a call.
 *
 * @param host the namespace of whoever executed the plugin: what "host" means to it
 * @param held where namespaces can be opened that must not be opened by their names, by name. A
 *     daemon has the descriptor it was sent in here, as {@code /proc/self/fd/7}, or a path that
 *     does not exist when its caller could not open the name.
 */
public record Namespaces(Path host, Map<String, Path> held) {
  /** Those of the calling thread: what it executes would be there, too. */
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
