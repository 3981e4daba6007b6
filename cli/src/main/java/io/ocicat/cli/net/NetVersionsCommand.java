package io.ocicat.cli.net;

import io.ocicat.base.json.Json;
import io.ocicat.cli.options.CniOptions;
import io.ocicat.cli.terminal.TextTable;
import io.ocicat.cni.CniException;
import io.ocicat.cni.VersionReply;
import io.ocicat.cni.runtime.Cni;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code ocicat net versions}: asks plugins which versions of the specification they understand.
 */
@Command(
    name = "versions",
    description = "Ask plugins which CNI versions they understand.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat net versions bridge host-local"})
final class NetVersionsCommand implements Callable<Integer> {
  private final NetSettings settings;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CniOptions options = new CniOptions();

  @Parameters(paramLabel = "PLUGIN", arity = "1..*", description = "The names of plugins.")
  private List<String> plugins = List.of();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  NetVersionsCommand(NetSettings settings) {
    this.settings = settings;
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Cni cni = settings.cni(options, err, settings.messages(err));
    TextTable table = new TextTable("PLUGIN", "VERSIONS");
    ObjectNode all = Json.object();
    int failed = 0;
    for (String plugin : plugins) {
      try {
        VersionReply reply = cni.versions(plugin);
        table.row(plugin, String.join(" ", reply.supportedVersions()));
        all.set(plugin, Json.array(reply.supportedVersions()));
      } catch (CniException e) {
        err.println("ocicat: %s: %s".formatted(plugin, e.getMessage()));
        failed = 1;
      }
    }
    if (json) {
      out.println(Json.pretty(all));
    } else {
      table.printTo(out);
    }
    return failed;
  }
}
