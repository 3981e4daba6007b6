package io.ocicat.plugins.tuning;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.JsonFields;
import io.ocicat.netlink.ns.Sysctl;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A sysctl of a network namespace and its desired value.
 *
 * @param key as written in the configuration
 */
record NetSysctl(String key, Sysctl setting, String value) {
  private static final String IFNAME = "IFNAME";
  private static final int LONGEST_KEY = 1024;

  /** Merges two lists; the second overrides the first, even if its keys are written differently. */
  static List<NetSysctl> read(JsonFields in, JsonFields overriding, String ifName) {
    Map<Sysctl, NetSysctl> sysctls = read(in, ifName);
    sysctls.putAll(read(overriding, ifName));
    return List.copyOf(sysctls.values());
  }

  private static Map<Sysctl, NetSysctl> read(JsonFields in, String ifName) {
    Map<Sysctl, NetSysctl> sysctls = new LinkedHashMap<>();
    for (String key : in.names()) {
      try {
        NetSysctl sysctl = new NetSysctl(key, setting(key, ifName), in.text(key).required());
        NetSysctl same = sysctls.putIfAbsent(sysctl.setting(), sysctl);
        if (same != null) {
          in.problem(
              key,
              "is the same as %s: duplicated sysctl keys are not allowed"
                  .formatted(Quoted.brief(same.key())));
        }
      } catch (IllegalArgumentException e) {
        in.problem(key, String.valueOf(e.getMessage()));
      }
    }
    return sysctls;
  }

  /**
   * Dots and slashes are both separators. The interface's name is inserted afterwards, so that its
   * own dots stay.
   */
  static Sysctl setting(String key, String ifName) {
    String path = key.replace('.', '/');
    int at = path.indexOf(IFNAME);
    if (at >= 0) {
      path = path.substring(0, at) + ifName + path.substring(at + IFNAME.length());
    }
    List<String> parts = Arrays.stream(path.split("/", -1)).filter(s -> !s.isEmpty()).toList();
    boolean plain = key.chars().noneMatch(c -> c <= ' ' || c == 0x7f);
    if (!plain
        || key.length() > LONGEST_KEY
        || parts.size() < 2
        || !parts.getFirst().equals("net")) {
      throw new IllegalArgumentException(
          "is an invalid net sysctl key: only those below net can be set");
    }
    return new Sysctl(parts);
  }

  /** Lists of numbers are read back with tabs between them. */
  boolean isValue(String found) {
    return words(found).equals(words(value));
  }

  private static List<String> words(String text) {
    return List.of(text.strip().split("\\s+"));
  }
}
