package io.ocicat.cli.agent;

import io.ocicat.base.json.Json;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.terminal.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code ocicat agent config}: which values are in force, and where they come from. */
@Command(
    name = "config",
    description = "Show each of Felix's parameters, and which source set it.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat agent config --json"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every value is valid",
      "1:a source has an invalid value, or no agent runs",
      "2:the command line is invalid; nothing was done"
    })
final class AgentConfigCommand implements Callable<Integer> {
  private final NodeContext context;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  AgentConfigCommand(NodeContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    JsonNode values = AgentReportFile.read(context).path("configuration");
    if (json) {
      out.println(Json.pretty(values));
    } else {
      TextTable table = new TextTable("PARAMETER", "VALUE", "SOURCE");
      for (JsonNode value : values.values()) {
        table.row(
            value.path("name").asString(""),
            value.path("value").asString(""),
            value.path("source").asString("")
                + (value.path("used").asBoolean(false) ? "" : " (not used)"));
      }
      table.printTo(out);
      for (JsonNode value : values.values()) {
        if (value.has("problem")) {
          out.println(value.path("problem").asString(""));
        }
      }
    }
    out.flush();
    return values.valueStream().anyMatch(value -> value.has("problem")) ? 1 : 0;
  }
}
