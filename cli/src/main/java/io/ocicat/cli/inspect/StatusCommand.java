package io.ocicat.cli.inspect;

import io.ocicat.base.json.Json;
import io.ocicat.cli.options.NodeContext;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ocicat status}: shows how far the daemon has come, and what it has to do. */
@Command(
    name = "status",
    description = "Say whether plugin calls are served, and if not, why.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat status --json"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:everything is as it should be",
      "1:something is not",
      "2:the command line is invalid; nothing was done"
    })
public final class StatusCommand implements Callable<Integer> {
  private final NodeContext context;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  public StatusCommand(NodeContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    StartupProgress readiness = StartupProgress.of(context);
    if (json) {
      out.println(Json.pretty(readiness.toJson()));
      out.flush();
    } else {
      readiness.print(out);
    }
    return readiness.isReady() ? 0 : 1;
  }
}
