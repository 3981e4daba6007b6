package io.ocicat.cli.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The environment variables in {@code docs/reference/configuration.md} against the sources. */
class VariablesTest {
  private static final Path PAGE = Path.of("../docs/reference/configuration.md");
  private static final Pattern VARIABLE = Pattern.compile("`([A-Z][A-Z0-9_]+[A-Z0-9])`");

  /** As it appears in Java and C; comments and sentences have no quotes around it. */
  private static final Pattern QUOTED = Pattern.compile("\"([A-Z][A-Z0-9_]+[A-Z0-9])\"");

  private static final Pattern IN_SCRIPTS = Pattern.compile("\\$\\{?([A-Z][A-Z0-9_]+)");

  @Test
  void thoseOfOurOwnAreAllThere() throws IOException {
    assertThat(documented())
        .containsAll(inSources().stream().filter(name -> name.startsWith("OCICAT_")).toList());
  }

  @Test
  void thoseThatAreThereAreRead() throws IOException {
    assertThat(inSources()).containsAll(documented());
  }

  private static Set<String> documented() throws IOException {
    Set<String> names = new TreeSet<>();
    boolean inTable = false;
    for (String line : Files.readAllLines(PAGE)) {
      inTable = line.startsWith("| variable ") || (inTable && line.startsWith("|"));
      if (inTable) {
        String first = line.split("\\|", -1)[1];
        VARIABLE.matcher(first).results().forEach(found -> names.add(found.group(1)));
      }
    }
    assertThat(names).isNotEmpty();
    return names;
  }

  private static Set<String> inSources() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.find(Path.of(".."), 20, (path, _) -> isSource(path))) {
      for (Path file : files.toList()) {
        String text = Files.readString(file);
        QUOTED.matcher(text).results().forEach(found -> names.add(found.group(1)));
      }
    }
    for (String script : List.of("../mvn25", "../ocicat", "../.mvn/find-jdk")) {
      String text = Files.readString(Path.of(script));
      IN_SCRIPTS.matcher(text).results().forEach(found -> names.add(found.group(1)));
    }
    return names;
  }

  private static boolean isSource(Path path) {
    String name = path.toString();
    return name.contains("/src/main/") && (name.endsWith(".java") || name.endsWith(".c"));
  }
}
