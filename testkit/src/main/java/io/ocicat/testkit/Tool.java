package io.ocicat.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Finds the programs that tests use, and tells which Debian package brings a missing one. */
final class Tool {

  /** Where Debian keeps network tools, outside an ordinary user's PATH. */
  private static final List<String> SYSTEM_DIRECTORIES = List.of("/usr/sbin", "/sbin");

  static final Map<String, String> PACKAGES =
      Map.ofEntries(
          Map.entry("ip", "iproute2"),
          Map.entry("tc", "iproute2"),
          Map.entry("bridge", "iproute2"),
          Map.entry("ss", "iproute2"),
          Map.entry("nft", "nftables"),
          Map.entry("iptables", "iptables"),
          Map.entry("ip6tables", "iptables"),
          Map.entry("iptables-save", "iptables"),
          Map.entry("conntrack", "conntrack"),
          Map.entry("ping", "iputils-ping"),
          Map.entry("jq", "jq"),
          Map.entry("gcc", "gcc"),
          Map.entry("make", "make"),
          Map.entry("nsenter", "util-linux"),
          Map.entry("unshare", "util-linux"),
          Map.entry("flock", "util-linux"),
          Map.entry("setpriv", "util-linux"),
          Map.entry("sysctl", "procps"),
          Map.entry("ps", "procps"));

  private Tool() {}

  /** The program's path; a name with a slash is taken as it is. */
  static String locate(String name) {
    return locate(name, Objects.requireNonNullElse(System.getenv("PATH"), "/usr/bin:/bin"));
  }

  static String locate(String name, String searchPath) {
    if (name.contains("/")) {
      return name;
    }
    return Stream.concat(Stream.of(searchPath.split(":", -1)), SYSTEM_DIRECTORIES.stream())
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst()
        .map(Path::toString)
        .orElseThrow(() -> new TestkitException(missing(name)));
  }

  private static String missing(String name) {
    String debianPackage = PACKAGES.get(name);
    return debianPackage == null
        ? "this test needs the program \"%s\", which is neither in PATH nor in %s"
            .formatted(name, String.join(", ", SYSTEM_DIRECTORIES))
        : "this test needs the program \"%s\": install the Debian package %s (./check does it as root)"
            .formatted(name, debianPackage);
  }
}
