package io.ocicat.cli.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * This distribution, and the programs of the machine that the demo needs.
 *
 * @param home the distribution's folder
 */
record DemoPrograms(Path home) {
  private static final String USUAL_PATH =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  Path launcher() {
    return home.resolve("bin/ocicat");
  }

  Path plugins() {
    return home.resolve("cni");
  }

  /** The Java launcher of this process. */
  static String java() {
    return ProcessHandle.current()
        .info()
        .command()
        .orElseGet(() -> Path.of(System.getProperty("java.home"), "bin", "java").toString());
  }

  static String path() {
    String set = System.getenv("PATH");
    return set == null || set.isEmpty() ? USUAL_PATH : set + ":" + USUAL_PATH;
  }

  static Optional<Path> find(String program) {
    return Stream.of(path().split(":", -1))
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, program))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
