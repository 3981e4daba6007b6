package io.ocicat.netlink.link;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Checks the names of links by the kernel's rules (dev_valid_name in net/core/dev.c), and one of
 * ours: no percent sign, which the kernel would interpret as a pattern and replace by a number.
 */
final class LinkName {
  private static final int LONGEST = 15;

  private LinkName() {}

  /** Returns the name, if it is valid. */
  static String check(String name) {
    int length = name.getBytes(UTF_8).length;
    if (length == 0) {
      throw refuse(name, "it is empty");
    }
    if (length > LONGEST) {
      throw refuse(name, "it has %d bytes, Linux allows %d".formatted(length, LONGEST));
    }
    if (name.equals(".") || name.equals("..")) {
      throw refuse(name, "it is the name of a directory");
    }
    for (int at = 0; at < name.length(); at++) {
      char c = name.charAt(at);
      if (isForbidden(c)) {
        throw refuse(name, "character 0x%02x is not allowed".formatted((int) c));
      }
    }
    return name;
  }

  private static boolean isForbidden(char c) {
    return c == '/' || c == ':' || c == '%' || c <= ' ' || c == 0x7f;
  }

  private static IllegalArgumentException refuse(String name, String why) {
    return new IllegalArgumentException("\"%s\" cannot name a link: %s".formatted(name, why));
  }
}
