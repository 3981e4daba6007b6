package io.ocicat.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * {@code ocicat help}: handles nested subcommands, where picocli's own command reads the first word
 * only.
 */
@Command(name = "help", helpCommand = true, description = "Show how a command is used.")
final class HelpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "COMMAND",
      arity = "0..*",
      description = "The words of a command, as in: ocicat help pod run.")
  private List<String> words = List.of();

  @Override
  public Integer call() {
    CommandLine command = spec.root().commandLine();
    for (String word : words) {
      CommandLine next = command.getSubcommands().get(word);
      if (next == null) {
        throw new UnmatchedArgumentException(command, List.of(word));
      }
      command = next;
    }
    command.usage(command.getOut());
    return ExitCode.OK;
  }
}
