package io.ocicat.plugins.calicocluster;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.linux.RegularFile;
import io.ocicat.plugins.support.AbsolutePath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Determines the node's name, from these sources in this order: the configuration, the file that
 * calico/node or {@code ocicat install --calico} wrote, the deprecated {@code hostname}, the
 * machine's host name.
 */
public record NodeName(String configured, Path file, boolean fileOptional, String hostname) {
  private static final String FILE = "/var/lib/calico/nodename";
  private static final Path HOSTNAME = Path.of("/proc/sys/kernel/hostname");
  private static final int MAX_BYTES = 4096;
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  /** Reads the members that determine it. */
  public static NodeName read(JsonFields in) {
    return new NodeName(
        in.text("nodename").or(""),
        AbsolutePath.read(in, "nodename_file", FILE),
        in.bool("nodename_file_optional").or(false),
        in.text("hostname").or(""));
  }

  /** The same name, whether or not the file is there. */
  public NodeName withoutFile() {
    return new NodeName(configured, file, true, hostname);
  }

  /**
   * The name, for a call that creates something on this node.
   *
   * @throws CniException when the file is required and missing, or the name is invalid
   */
  public String requireStarted() {
    requireFile();
    return require();
  }

  /**
   * The name, whether or not calico/node has started.
   *
   * @throws CniException with code 7 when it is invalid
   */
  public String require() {
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

  /**
   * The file shows that calico/node has started, even where the name comes from elsewhere.
   *
   * @throws CniException when it is required and missing
   */
  public void requireFile() {
    if (!fileOptional && !Files.exists(file)) {
      throw new CniException(
          ErrorCode.TRY_AGAIN_LATER,
          "stat %s: no such file or directory".formatted(file),
          "check that the calico/node container is running and has mounted /var/lib/calico/, or"
              + " run \"ocicat install --calico\", or set nodename_file_optional");
    }
  }

  /** The name for a call that removes something, unless it would be a guess. */
  public Optional<String> known() {
    return fileOptional || Files.exists(file) || !configured.isEmpty()
        ? Optional.of(find())
        : Optional.empty();
  }

  private String find() {
    if (!configured.isEmpty()) {
      return configured;
    }
    // Editors append a newline, which Calico considers a part of the name.
    String written = read(file);
    if (!written.isEmpty()) {
      return written;
    }
    return hostname.isEmpty() ? read(HOSTNAME).toLowerCase(Locale.ROOT) : hostname;
  }

  private static String read(Path file) {
    try {
      byte[] bytes = RegularFile.read(file, MAX_BYTES);
      return new String(bytes, StandardCharsets.UTF_8).strip();
    } catch (IOException _) {
      return "";
    }
  }
}
