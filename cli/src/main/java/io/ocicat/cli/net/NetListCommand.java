package io.ocicat.cli.net;

import io.ocicat.base.json.Json;
import io.ocicat.cli.options.CniOptions;
import io.ocicat.cli.terminal.TextTable;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.runtime.ConfListing;
import io.ocicat.cni.runtime.ConfProblem;
import io.ocicat.cni.runtime.NetworkFile;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code ocicat net list}: lists the networks in the configuration directory; a bad file hides no
 * other.
 */
@Command(
    name = "list",
    aliases = "ls",
    description = "List the configured networks, and the files that cannot be used.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat net list --conf-dir /etc/cni/net.d"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every file can be used",
      "1:some cannot, or there is no such directory",
      "2:the command line is invalid; nothing was done"
    })
final class NetListCommand implements Callable<Integer> {
  private final NetSettings settings;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CniOptions options = new CniOptions();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  NetListCommand(NetSettings settings) {
    this.settings = settings;
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    ConfListing listing =
        settings.networks(options, settings.cni(options, err, settings.messages(err)));
    if (json) {
      out.println(Json.pretty(toJson(listing)));
    } else {
      TextTable table = new TextTable("NETWORK", "VERSION", "PLUGINS", "FILE");
      for (NetworkFile network : listing.networks()) {
        table.row(
            network.name(),
            network.list().effectiveVersion(),
            String.join(" ", network.list().plugins().stream().map(PluginConfig::type).toList()),
            network.file().toString());
      }
      table.printTo(out);
      listing.problems().forEach(problem -> err.println("ocicat: " + problem));
    }
    return listing.problems().isEmpty() ? 0 : 1;
  }

  private static ObjectNode toJson(ConfListing listing) {
    ObjectNode json = Json.object();
    ArrayNode networks = json.putArray("networks");
    for (NetworkFile network : listing.networks()) {
      ObjectNode entry = networks.addObject();
      entry.put("name", network.name());
      entry.put("version", network.list().effectiveVersion());
      ArrayNode plugins = entry.putArray("plugins");
      network.list().plugins().forEach(plugin -> plugins.add(plugin.type()));
      entry.put("file", network.file().toString());
    }
    ArrayNode problems = json.putArray("problems");
    for (ConfProblem problem : listing.problems()) {
      ObjectNode entry = problems.addObject();
      entry.put("file", problem.file().toString());
      entry.put("position", problem.position());
      entry.put("path", problem.path());
      entry.put("reason", problem.reason());
    }
    return json;
  }
}
