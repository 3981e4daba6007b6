package io.ocicat.cli.net;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.ns.NamedNetNs;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A network namespace argument of the command line: a path, or a bare name as in {@code ip netns}.
 */
record NetnsArgument(String text) {
  private static final Path NAMED = NamedNetNs.standard().directory();

  /** A name stands for its path even when the namespace is gone, so that DEL finds what ADD did. */
  String path() {
    return isName() ? NAMED.resolve(text).toString() : text;
  }

  /** The same, for verbs that need the namespace. */
  String existingPath() {
    if (isName() && Files.notExists(NAMED.resolve(text))) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT,
          "there is no network namespace \"%s\" in %s: make it with `ip netns add %s`, or give the path of one"
              .formatted(text, NAMED, text));
    }
    return path();
  }

  private boolean isName() {
    return !text.isEmpty()
        && !text.contains("/")
        && (Files.exists(NAMED.resolve(text)) || Files.notExists(Path.of(text)));
  }
}
