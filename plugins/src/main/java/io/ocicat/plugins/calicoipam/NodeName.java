package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.json.JsonFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * How the node's name is found, in this order: as configured, in the file that calico/node wrote,
 * the deprecated {@code hostname}, the machine's own.
 */
record NodeName(String configured, Path file, String hostname) {
  private static final String FILE = "/var/lib/calico/nodename";
  private static final Path HOSTNAME = Path.of("/proc/sys/kernel/hostname");
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  static NodeName read(JsonFields in) {
    return new NodeName(
        in.text("nodename").or(""),
        CalicoIpamConf.path(in, "nodename_file", FILE),
        in.text("hostname").or(""));
  }

  /**
   * The name.
   *
   * @throws CniException with code 7 when it cannot be one
   */
  String require() {
    String name = find();
    if (!NAME.matcher(name).matches()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "node name \"%s\" cannot be used".formatted(name),
          "it must be lower-case letters, digits, - and .; set nodename, or write the right one to "
              + file);
    }
    return name;
  }

  private String find() {
    if (!configured.isEmpty()) {
      return configured;
    }
    // Editors put a newline behind it, which Calico takes for a part of the name.
    String written = read(file);
    if (!written.isEmpty()) {
      return written;
    }
    return hostname.isEmpty() ? read(HOSTNAME).toLowerCase(Locale.ROOT) : hostname;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8).strip();
    } catch (IOException _) {
      return "";
    }
  }
}
