package io.ocicat.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the programs that tests use, and says which Debian package contains a missing one. */
final class Tool {

  /** Where Debian keeps network tools, outside an ordinary user's PATH. */
  private static final List<String> SYSTEM_DIRECTORIES = List.of("/usr/sbin", "/sbin");

  private Tool() {}

  /** The program's path; a relative one is returned unchanged. */
  static String locate(String name) {
    return locate(name, Objects.requireNonNullElse(System.getenv("PATH"), "/usr/bin:/bin"));
  }

  static String locate(String name, String searchPath) {
    if (name.contains("/")) {
      if (name.startsWith("/") && !Files.isExecutable(Path.of(name))) {
        throw new TestkitException(missing(name));
      }
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
    return packageOf(name)
        .map(
            found ->
                "this test needs the program \"%s\": install the Debian package %s (./check does it as root)"
                    .formatted(name, found))
        .orElseGet(
            () ->
                "this test needs the program \"%s\", which is neither in PATH nor in %s"
                    .formatted(name, String.join(", ", SYSTEM_DIRECTORIES)));
  }

  /** From {@code .ci/packages}, which the build copies next to this class. */
  private static Optional<String> packageOf(String program) {
    try (InputStream in = Tool.class.getResourceAsStream("packages")) {
      if (in == null) {
        throw new TestkitException("the build did not copy .ci/packages next to " + Tool.class);
      }
      return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> List.of(line.split("\\s+", 3)))
          .filter(columns -> List.of(columns.get(1).split(",", -1)).contains(program))
          .map(List::getFirst)
          .findFirst();
    } catch (IOException e) {
      throw new TestkitException("cannot read the list of packages: " + e.getMessage(), e);
    }
  }
}
