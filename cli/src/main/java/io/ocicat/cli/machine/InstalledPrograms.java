package io.ocicat.cli.machine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * This distribution, and the programs of this machine.
 *
 * @param home the distribution's folder
 */
public record InstalledPrograms(Path home) {
  private static final String USUAL_PATH =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  public Path launcher() {
    return home.resolve("bin/ocicat");
  }

  public Path plugins() {
    return home.resolve("cni");
  }

  /** PATH with this distribution's commands first. */
  public String searchPath() {
    return launcher().getParent() + ":" + path();
  }

  /** The Java launcher of this process. */
  public static String java() {
    return ProcessHandle.current()
        .info()
        .command()
        .orElseGet(() -> Path.of(System.getProperty("java.home"), "bin", "java").toString());
  }

  public static String path() {
    String set = System.getenv("PATH");
    return set == null || set.isEmpty() ? USUAL_PATH : set + ":" + USUAL_PATH;
  }

  public static Optional<Path> find(String program) {
    return Stream.of(path().split(":", -1))
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, program))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
