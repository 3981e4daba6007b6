package io.ocicat.cli.terminal;

import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Reports errors to the user in one line on standard error; with {@code OCICAT_DEBUG=1} the stack
 * trace follows.
 */
public record ErrorReporter(PrintWriter err, boolean debug) {

  /** The command line is invalid. */
  public int misuse(ParameterException misuse, String[] args) {
    CommandLine command = misuse.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    print(misuse, "%s: %s; see \"%s --help\"".formatted(name, reason(misuse, command), name));
    return CommandLine.ExitCode.USAGE;
  }

  /** The command was valid and failed. */
  public int failure(Throwable failure) {
    String message = failure.getMessage();
    print(
        failure,
        "ocicat: "
            + ErrorAdvice.of(message == null || message.isBlank() ? failure.toString() : message));
    return CommandLine.ExitCode.SOFTWARE;
  }

  private void print(Throwable cause, String line) {
    err.println(String.join(" ", line.strip().split("\\s*\\R\\s*", -1)));
    if (debug) {
      cause.printStackTrace(err);
    }
    err.flush();
  }

  private static String reason(ParameterException misuse, CommandLine command) {
    if (misuse instanceof UnmatchedArgumentException unmatched) {
      String argument = unmatched.getUnmatched().getFirst();
      String kind =
          argument.startsWith("-")
              ? "option"
              : command.getSubcommands().isEmpty() ? "argument" : "command";
      return "unknown %s \"%s\"%s"
          .formatted(kind, argument, suggestion(argument, unmatched.getSuggestions()));
    }
    return decapitalized(Objects.requireNonNullElse(misuse.getMessage(), misuse.toString()));
  }

  /** Except for a name at its start, such as IPPool. */
  private static String decapitalized(String sentence) {
    return sentence.isEmpty() || sentence.substring(1).matches("(?s)\\p{Upper}.*")
        ? sentence
        : Character.toLowerCase(sentence.charAt(0)) + sentence.substring(1);
  }

  /**
   * picocli sees a similarity between any two words; people who mistype get the first letter right.
   */
  private static String suggestion(String argument, List<String> suggestions) {
    return suggestions.stream()
        .filter(other -> initial(other) == initial(argument))
        .findFirst()
        .map(" (did you mean \"%s\"?)"::formatted)
        .orElse("");
  }

  private static char initial(String word) {
    String bare = word.replaceFirst("^-+", "");
    return bare.isEmpty() ? '-' : bare.charAt(0);
  }
}
