package io.ocicat.netlink.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The open files of this process, to check that nothing is left open. */
final class OpenFiles {
  private OpenFiles() {}

  /** Each descriptor's file, sorted; without the jars, which the JVM opens at any time. */
  static List<String> now() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors
          .map(OpenFiles::target)
          .filter(target -> !target.endsWith(".jar") && !target.startsWith("/proc/"))
          .sorted()
          .toList();
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return "/proc/gone";
    }
  }
}
