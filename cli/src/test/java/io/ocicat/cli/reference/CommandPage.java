package io.ocicat.cli.reference;

import io.ocicat.cli.CommandTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Writes {@code docs/reference/commands.md} from the commands' own help. */
final class CommandPage {
  static final String EXAMPLE = "Example: ";
  private static final int WIDTH = 110;

  private final StringBuilder page = new StringBuilder();

  private CommandPage() {}

  static String write(String howToRewrite) {
    CommandPage writer = new CommandPage();
    Map<String, CommandLine> commands = CommandTree.all();
    writer.head(commands, howToRewrite);
    commands.values().forEach(writer::command);
    return writer.page.toString();
  }

  private void head(Map<String, CommandLine> commands, String howToRewrite) {
    line("# Commands");
    line("");
    page.append(
        """
      What each command takes, and how it ends. The commands write this page themselves, by
      `%s`; a test holds it against them.

      Every command takes `-h` (`--help`); `ocicat help COMMAND` says the same. In the source tree `ocicat` is `./ocicat`, which builds the distribution first
      when the sources are newer and knows two more words: `./ocicat dist` builds it in any case, with the archive, and
      `./ocicat bench` runs the [benchmarks](../../bench/RESULTS.md).

      Data goes to standard output, everything else to standard error. What fails says so in one line. Work that takes
      longer than a second says how far it is. Colours are for terminals only, and not when `NO_COLOR` is set.

      """
            .formatted(howToRewrite));
    line("| command | what it does |");
    line("|---|---|");
    commands.forEach(
        (name, command) -> {
          if (command.getSubcommands().isEmpty()) {
            String first = description(command.getCommandSpec()).replaceFirst("\\. .*", ".");
            line("| [`%s`](#%s) | %s |".formatted(name, anchor(name), cell(first)));
          }
        });
  }

  private void command(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    UsageMessageSpec usage = spec.usageMessage();
    line("");
    line("## " + spec.qualifiedName());
    line("");
    line(description(spec));
    if (spec.aliases().length > 0) {
      line("");
      line("Also: `%s`.".formatted(String.join("`, `", spec.aliases())));
    }
    line("");
    block(synopsis(command));
    arguments(spec);
    exitCodes(usage);
    footer(usage);
  }

  private static String description(CommandSpec spec) {
    List<String> lines = new ArrayList<>();
    for (String line : spec.usageMessage().description()) {
      lines.add(prose(line));
    }
    return String.join(" ", lines);
  }

  private static String synopsis(CommandLine command) {
    command.setUsageHelpWidth(WIDTH);
    return new Help(command.getCommandSpec(), Help.defaultColorScheme(Help.Ansi.OFF))
        .synopsis(0)
        .stripTrailing();
  }

  private void arguments(CommandSpec spec) {
    List<String> rows = new ArrayList<>();
    for (PositionalParamSpec parameter : spec.positionalParameters()) {
      if (!parameter.hidden()) {
        rows.add("| `%s` | %s |".formatted(cell(parameter.paramLabel()), meaning(parameter)));
      }
    }
    spec.options().stream()
        .filter(option -> !option.hidden() && !isStandard(option))
        .sorted((a, b) -> a.longestName().compareTo(b.longestName()))
        .forEach(option -> rows.add("| %s | %s |".formatted(names(option), meaning(option))));
    if (!rows.isEmpty()) {
      line("");
      line("| argument | meaning |");
      line("|---|---|");
      rows.forEach(this::line);
    }
  }

  private static boolean isStandard(OptionSpec option) {
    return option.usageHelp() || option.versionHelp();
  }

  private static String names(OptionSpec option) {
    String value = option.typeInfo().isBoolean() ? "" : " " + cell(option.paramLabel());
    if (option.negatable()) {
      return "`%s`, `--no-%s`".formatted(option.longestName(), option.longestName().substring(2));
    }
    return "`%s%s`".formatted(String.join("`, `", option.names()), value);
  }

  private static String meaning(ArgSpec argument) {
    List<String> sentences = new ArrayList<>();
    for (String sentence : argument.description()) {
      sentences.add(prose(sentence));
    }
    if (argument.required() && argument.isOption() && argument.group() == null) {
      sentences.add("Required.");
    }
    return cell(String.join(" ", sentences));
  }

  private void exitCodes(UsageMessageSpec usage) {
    if (!usage.exitCodeList().isEmpty()) {
      line("");
      line("| exit code | when |");
      line("|---|---|");
      usage
          .exitCodeList()
          .forEach((code, when) -> line("| %s | %s |".formatted(code.strip(), cell(when))));
    }
  }

  private void footer(UsageMessageSpec usage) {
    List<String> examples = new ArrayList<>();
    List<String> aligned = new ArrayList<>();
    List<String> text = new ArrayList<>();
    for (String footer : usage.footer()) {
      String sentence = String.format(Locale.ROOT, footer);
      if (sentence.startsWith(EXAMPLE)) {
        examples.add(sentence.substring(EXAMPLE.length()));
      } else if (sentence.contains("  ")) {
        aligned.add(sentence);
      } else {
        text.add(escaped(sentence));
      }
    }
    String prose = String.join(" ", text).strip().replaceAll(" {2,}", "\n\n");
    if (!prose.isEmpty()) {
      line("");
      line(prose);
    }
    if (!aligned.isEmpty()) {
      line("");
      block(String.join("\n", aligned));
    }
    if (!examples.isEmpty()) {
      line("");
      line("Example:");
      line("");
      block(String.join("\n", examples));
    }
  }

  private static String prose(String description) {
    return escaped(String.format(Locale.ROOT, description));
  }

  private static String escaped(String text) {
    return text.replace("<", "\\<").replace("*", "\\*");
  }

  private static String cell(String text) {
    return text.replace("|", "\\|");
  }

  private static String anchor(String name) {
    return name.replace(' ', '-');
  }

  private void block(String text) {
    line("```text");
    line(text);
    line("```");
  }

  private void line(String text) {
    page.append(text).append('\n');
  }
}
