package io.ocicat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The commands use consistent words, and all are explained. */
class VocabularyTest {
  private static final String EXAMPLE = "Example: ";

  /** Commands that print no data, or print JSON anyway. */
  private static final Map<String, String> WITHOUT_JSON =
      Map.ofEntries(
          Map.entry("ocicat completion", "prints a script"),
          Map.entry("ocicat daemon", "prints its log, as JSON with --log-format json"),
          Map.entry("ocicat node", "likewise"),
          Map.entry("ocicat ipam-server", "serves"),
          Map.entry("ocicat plugin", "prints what CNI says, which is JSON"),
          Map.entry("ocicat net add", "prints what CNI says, which is JSON"),
          Map.entry("ocicat net check", "prints nothing"),
          Map.entry("ocicat net del", "prints nothing"),
          Map.entry("ocicat net gc", "prints what it detached, a line each"),
          Map.entry("ocicat net status", "prints nothing"),
          Map.entry("ocicat pod inspect", "prints JSON anyway"),
          Map.entry("ocicat pod exec", "prints what the program prints"),
          Map.entry("ocicat pod logs", "prints what the program printed"),
          Map.entry("ocicat cri", "serves until it is stopped"),
          Map.entry("ocicat pod stop", "prints the names it was given"),
          Map.entry("ocicat pod rm", "prints the names it was given"),
          Map.entry("ocicat create", "prints calicoctl's sentence"),
          Map.entry("ocicat apply", "prints calicoctl's sentence"),
          Map.entry("ocicat replace", "prints calicoctl's sentence"),
          Map.entry("ocicat patch", "prints calicoctl's sentence"),
          Map.entry("ocicat delete", "prints calicoctl's sentence"),
          Map.entry("ocicat label", "prints calicoctl's sentence"),
          Map.entry("ocicat annotate", "prints calicoctl's sentence of label"),
          Map.entry("ocicat datastore export", "has -o json, a document per line"),
          Map.entry("ocicat datastore import", "prints a sentence"),
          Map.entry("ocicat datastore lock", "prints a sentence"),
          Map.entry("ocicat datastore unlock", "prints a sentence"));

  /** Letters that calicoctl, kubectl and podman use for different things, as users expect. */
  private static final Set<String> LETTERS_OF_OTHERS = Set.of("-a", "-c", "-f", "-p");

  private static final Map<String, CommandLine> ALL = CommandTree.all();

  static Stream<String> all() {
    return ALL.keySet().stream();
  }

  static Stream<String> leaves() {
    return CommandTree.leaves().keySet().stream();
  }

  private static CommandSpec spec(String command) {
    return Objects.requireNonNull(ALL.get(command)).getCommandSpec();
  }

  @ParameterizedTest
  @MethodSource("all")
  void everythingIsExplained(String command) {
    CommandSpec spec = spec(command);
    assertThat(String.join("", spec.usageMessage().description())).endsWith(".");
    for (ArgSpec argument : spec.args()) {
      assertThat(String.join("", argument.description())).as(argument.toString()).endsWith(".");
    }
  }

  /** In one form of words. */
  @ParameterizedTest
  @MethodSource("all")
  void defaultsAndRepetitionAreDescribed(String command) {
    for (OptionSpec option : spec(command).options()) {
      String description = String.join(" ", option.description());
      assertThat(description).doesNotContain("Default:", "if not given", "many times", "times.");
      String preset = option.defaultValue();
      if (preset != null && !preset.isEmpty() && !option.typeInfo().isBoolean()) {
        assertThat(description).as(option.longestName()).contains("(default: ");
      }
      if (option.isMultiValue()) {
        assertThat(description).as(option.longestName()).containsIgnoringCase("may be repeated");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("leaves")
  void everyCommandHasAnExampleThatIsOne(String command) {
    List<String> examples =
        Arrays.stream(spec(command).usageMessage().footer())
            .filter(line -> line.startsWith(EXAMPLE))
            .map(line -> line.substring(EXAMPLE.length()))
            .toList();
    assertThat(examples).isNotEmpty();
    for (String example : examples) {
      List<String> words = words(example);
      CommandLine.ParseResult parsed =
          CommandTree.root().parseArgs(words.subList(1, words.size()).toArray(String[]::new));
      while (parsed.hasSubcommand()) {
        parsed = parsed.subcommand();
      }
      assertThat(parsed.commandSpec().qualifiedName()).isEqualTo(command);
      assertThat(parsed.unmatched()).isEmpty();
    }
  }

  /** As a shell reads them: without variables in front, a pipe at the end, and quotes. */
  private static List<String> words(String example) {
    List<String> words = new ArrayList<>();
    for (String word :
        example.replaceFirst(" \\|.*", "").split(" (?=(?:[^']*'[^']*')*[^']*$)", -1)) {
      if (!(words.isEmpty() && word.contains("="))) {
        words.add(word.replace("'", ""));
      }
    }
    return words;
  }

  @Test
  void oneNameMeansOneThing() {
    Map<String, Set<String>> labels = new TreeMap<>();
    Map<String, Set<String>> letters = new TreeMap<>();
    ALL.forEach(
        (command, line) -> {
          for (OptionSpec option : line.getCommandSpec().options()) {
            // calicoctl's own -o of that command.
            String name =
                command.equals("ocicat ipam check") && option.longestName().equals("--output")
                    ? "--output of ipam check"
                    : option.longestName();
            labels.computeIfAbsent(name, _ -> new TreeSet<>()).add(option.paramLabel());
            letters
                .computeIfAbsent(option.shortestName(), _ -> new TreeSet<>())
                .add(option.longestName());
          }
        });
    letters.keySet().removeAll(LETTERS_OF_OTHERS);
    Map<String, Set<String>> disputed = new LinkedHashMap<>(labels);
    disputed.putAll(letters);
    disputed.values().removeIf(meanings -> meanings.size() == 1);
    assertThat(disputed).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("leaves")
  void whoPrintsDataPrintsJson(String command) {
    assertThat(spec(command).findOption("--json") != null)
        .as("%s has --json, or a reason in this test", command)
        .isNotEqualTo(WITHOUT_JSON.containsKey(command));
  }

  @Test
  void theReasonsAreAboutCommands() {
    assertThat(CommandTree.leaves().keySet()).containsAll(WITHOUT_JSON.keySet());
  }
}
