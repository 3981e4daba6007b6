package io.ocicat.cli;

import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ocicat completion}: prints a completion script for bash or zsh. */
@Command(
    name = "completion",
    description = "Print a completion script for commands, options and kinds.",
    footer = {
      "",
      "For this shell, or in ~/.bashrc:  source <(ocicat completion bash)",
      "In ~/.zshrc, after compinit:     source <(ocicat completion zsh)",
      "",
      "Example: ocicat completion bash"
    },
    mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "bash|zsh", description = "The shell.")
  private String shell = "";

  /** Both shells read the same script; zsh by its emulation of bash's completion. */
  @Override
  public Integer call() {
    if (!shell.equals("bash") && !shell.equals("zsh")) {
      throw new ParameterException(
          spec.commandLine(),
          "the shell must be bash or zsh, not \"%s\"".formatted(shell.toLowerCase(Locale.ROOT)));
    }
    spec.commandLine().getOut().print(AutoComplete.bash("ocicat", spec.root().commandLine()));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
