package io.ocicat.agent.config;

import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Felix's file of parameters: lines of {@code name = value}; sections have no meaning. */
public final class ConfigFile {
  public static final Path PATH = Path.of("/etc/calico/felix.cfg");

  private static final int MAX_BYTES = 1 << 20;

  private ConfigFile() {}

  /**
   * Reads the text of the file; empty when it does not exist.
   *
   * @throws IOException when it cannot be read
   */
  public static String read(Path file) throws IOException {
    try {
      return new String(RegularFile.read(file, MAX_BYTES), StandardCharsets.UTF_8);
    } catch (NoSuchFileException _) {
      return "";
    }
  }

  /** Returns the values by their names; a line that sets nothing is a problem. */
  static Map<String, String> parse(String text, List<String> problems) {
    Map<String, String> values = new LinkedHashMap<>();
    int number = 0;
    for (String line : text.lines().map(String::strip).toList()) {
      number++;
      if (line.isEmpty() || "#;[".indexOf(line.charAt(0)) >= 0) {
        continue;
      }
      int separator = separator(line);
      if (separator < 1) {
        problems.add("%s:%d is not \"name = value\": it is ignored".formatted(PATH, number));
      } else {
        values.put(
            line.substring(0, separator).strip(), unquoted(line.substring(separator + 1).strip()));
      }
    }
    return values;
  }

  private static int separator(String line) {
    for (int i = 0; i < line.length(); i++) {
      if (line.charAt(i) == '=' || line.charAt(i) == ':') {
        return i;
      }
    }
    return -1;
  }

  private static String unquoted(String value) {
    int last = value.length() - 1;
    return last > 0
            && (value.charAt(0) == '"' || value.charAt(0) == '\'')
            && value.charAt(last) == value.charAt(0)
        ? value.substring(1, last)
        : value;
  }
}
