package io.ocicat.cni.plugin;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.CniEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Objects;

/**
 * Keeps a plugin from changing the host instead of a container: a path such as {@code
 * /proc/4711/ns/net} leads to the host's namespace once another process has that pid. The check
 * comes before the plugin runs, because afterwards the damage is done.
 */
final class NetnsGuard {
  private NetnsGuard() {}

  /** A namespace is identified by device and inode of its file, whatever the path. */
  private static Object identity(Path path) throws IOException {
    return Objects.requireNonNull(
        Files.readAttributes(path, BasicFileAttributes.class).fileKey(), "no device and inode");
  }

  static void requireOther(Path host, Netns container, Map<String, String> environment) {
    if (isOverridden(environment.getOrDefault(CniEnvironment.NETNS_OVERRIDE, ""))) {
      return;
    }
    Object theirs;
    try {
      theirs = identity(container.path());
    } catch (IOException _) {
      // A namespace that is gone is not ours; the plugin knows what that means.
      return;
    }
    Object own;
    try {
      own = identity(host);
    } catch (IOException e) {
      throw new CniException(ErrorCode.INVALID_NETNS, "get plugin's netns failed", e.toString());
    }
    if (own.equals(theirs)) {
      throw new CniException(
          ErrorCode.INVALID_NETNS,
          "plugin's netns and netns from CNI_NETNS should not be the same",
          "CNI_NETNS is %s; set %s=1 if this is meant"
              .formatted(container, CniEnvironment.NETNS_OVERRIDE));
    }
  }

  private static boolean isOverridden(String value) {
    return value.equals("1") || value.equalsIgnoreCase("true");
  }
}
