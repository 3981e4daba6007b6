package io.ocicat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Commands that a page only mentions, within a sentence or a table, exist, with their options.
 * (Those in code blocks are run, by {@code interop}'s DocsTest.)
 */
class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern MENTIONED = Pattern.compile("`(?:\\./)?ocicat ([a-z][^`]*)`");

  /** Of {@code ./ocicat}, the script. */
  private static final List<String> OF_THE_SOURCE_TREE = List.of("dist", "bench");

  private final CommandLine ocicat = Ocicat.commandLine();

  @Test
  void whatIsMentionedExists() throws IOException {
    List<String> wrong = new ArrayList<>();
    int mentioned = 0;
    for (Path page : pages()) {
      for (MatchResult found : MENTIONED.matcher(Files.readString(page)).results().toList()) {
        mentioned++;
        String problem = problem(found.group(1));
        if (!problem.isEmpty()) {
          wrong.add(
              "%s: `ocicat %s`: %s".formatted(ROOT.relativize(page), found.group(1), problem));
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(mentioned).isGreaterThan(50);
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              Stream.of("README.md", "README.zh-CN.md", "examples/README.md").map(ROOT::resolve),
              docs.filter(file -> file.toString().endsWith(".md")))
          .toList();
    }
  }

  /** What is wrong with a command line, as far as that is visible without running it. */
  private String problem(String line) {
    CommandLine at = ocicat;
    boolean isCommand = true;
    for (String word : line.split("[ |]+", -1)) {
      if (word.equals("--")) {
        return "";
      } else if (word.startsWith("-")) {
        String option = word.replaceAll("[\\[=].*|[],.;:]+$", "");
        if (!at.getCommandSpec().optionsMap().containsKey(option)) {
          return "there is no option " + option;
        }
        isCommand = false;
      } else if (isCommand && at.getSubcommands().containsKey(word)) {
        at = at.getSubcommands().get(word);
      } else if (isCommand && !at.getSubcommands().isEmpty() && word.matches("[a-z-]+")) {
        return OF_THE_SOURCE_TREE.contains(word) ? "" : "there is no command " + word;
      } else {
        isCommand = false;
      }
    }
    return "";
  }
}
