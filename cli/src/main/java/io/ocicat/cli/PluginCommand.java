package io.ocicat.cli;

import io.ocicat.plugins.Plugins;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * {@code ocicat plugin}, as the help shows {@link PluginProcess}; the executables in {@code cni/}
 * do not pass through here.
 */
@Command(
    name = PluginProcess.COMMAND,
    description = {
      "Run one call of a CNI plugin.",
      "CNI_* variables and standard input say which."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: CNI_COMMAND=VERSION ocicat plugin bridge"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done; standard output has the result",
      "1:the call failed; standard output has the CNI error",
      "2:there is no such plugin, or the command line is invalid"
    })
final class PluginCommand implements Callable<Integer> {
  @ArgGroup(multiplicity = "1")
  private Choice choice = new Choice();

  /** Options of the plugin itself, which picocli does not know. */
  @Unmatched private List<String> flags = new ArrayList<>();

  @Spec private CommandSpec spec = CommandSpec.create();

  /** Either a plugin, or the list of plugins. */
  static final class Choice {
    @Parameters(
        paramLabel = "NAME",
        arity = "0..1",
        description = "The plugin, as its executable is called.")
    private String name = "";

    @Option(names = "--list", description = "Print the names of all plugins.")
    private boolean list;
  }

  @Override
  public Integer call() {
    if (choice.list) {
      Plugins.names().forEach(spec.commandLine().getOut()::println);
      return ExitCode.OK;
    }
    return flags.isEmpty()
        ? PluginProcess.fromDistribution().run(choice.name)
        : PluginProcess.options(choice.name, flags);
  }
}
