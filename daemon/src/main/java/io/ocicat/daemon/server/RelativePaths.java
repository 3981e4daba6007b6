package io.ocicat.daemon.server;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.daemon.wire.WireRequest;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Finds relative paths in a request, which mean other files in the daemon's working directory than
 * in the caller's. They are rare, and most members that name files must be absolute anyway: these
 * are the ones that need not be.
 */
final class RelativePaths {
  private static final Set<String> FILES =
      Set.of(
          "dataDir",
          "resolvConf",
          "caFile",
          "tokenFile",
          "kubeconfig",
          "etcd_key_file",
          "etcd_cert_file",
          "etcd_ca_cert_file");

  /** Deeper than any configuration has them. */
  private static final int DEEPEST = 8;

  private RelativePaths() {}

  static boolean areIn(WireRequest request) {
    return isRelativeList(request.variable(CniEnvironment.PATH)) || areInStdin(request.stdin());
  }

  private static boolean isRelativeList(String directories) {
    for (String directory : directories.split(":", -1)) {
      if (isRelative(directory)) {
        return true;
      }
    }
    return false;
  }

  private static boolean areInStdin(byte[] stdin) {
    try {
      return stdin.length > 0 && areIn(CniJson.parse(stdin), DEEPEST);
    } catch (CniException _) {
      // Making the call will show what is wrong with it.
      return false;
    }
  }

  private static boolean areIn(JsonNode object, int depth) {
    if (depth > 0 && object.isObject()) {
      for (var member : object.properties()) {
        String text = member.getValue().stringValue("");
        if (FILES.contains(member.getKey())
            ? isRelative(text)
            : areIn(member.getValue(), depth - 1)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isRelative(String path) {
    return !path.isEmpty() && !path.startsWith("/");
  }
}
