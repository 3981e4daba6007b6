package io.ocicat.interop;

import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** This machine as if only what every Debian has were installed. */
final class BareMachine {
  /** Links the programs of Debian's essential and required packages, and apt-get, into $2/bin. */
  private static final String LINKING =
      """
      dpkg-query -W -f '${Essential} ${Priority} ${Package}\\n' |
        awk '$1 == "yes" || $2 == "required" { print $3 }' | xargs dpkg -L |
        grep -E '^(/usr)?/s?bin/[^/]+$' | sort -u | xargs ln -sft "$2/bin"
      ln -sf "$(readlink -f "$(command -v awk)")" "$2/bin/awk"
      ln -sf "$(command -v apt-get)" "$2/bin/apt-get"
      """;

  /** Lines for a shell in its own mount namespace, whose $2 is a folder to write in. */
  static final String HIDING =
      """
      mkdir "$2/bin"
      mount -t tmpfs tmpfs "$2/bin"
      """
          + LINKING
          + """
          for place in /usr/sbin /usr/lib/cni /usr/include /usr/share/doc; do mount -t tmpfs tmpfs $place; done
          export PATH="$2/bin"
          hash -r
          """;

  /** Packages that every Debian has, or that only users other than root need. */
  private static final Set<String> ALWAYS_THERE = Set.of("util-linux", "mount", "uidmap");

  private BareMachine() {}

  static void linkProgramsInto(Path folder) {
    String script = "set -- . \"$1\"\nmkdir \"$2/bin\"\n" + LINKING + "mv \"$2\"/bin/* \"$2\"";
    Command.of("bash", "-euo", "pipefail", "-c", script, "bash", folder.toString()).run();
  }

  /** What {@code .ci/packages} lists and such a machine lacks, each once. */
  static List<String> packages(Path checkout) throws IOException {
    try (Stream<String> lines = Files.lines(checkout.resolve(".ci/packages"))) {
      return lines
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split("\\s+", 2)[0])
          .filter(name -> !ALWAYS_THERE.contains(name))
          .distinct()
          .toList();
    }
  }
}
