package io.ocicat.cli.agent;

import io.ocicat.base.json.Json;
import io.ocicat.cli.options.NodeContext;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat agent status}: how the node's agent is. */
@Command(
    name = "status",
    description = "Say whether the node's agent is in sync, and what is wrong.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat agent status --json"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:everything is as it should be",
      "1:something is not, or no agent runs",
      "2:the command line is invalid; nothing was done"
    })
final class AgentStatusCommand implements Callable<Integer> {
  private final NodeContext context;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  AgentStatusCommand(NodeContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    ObjectNode report = AgentReportFile.read(context);
    report.remove("configuration");
    if (json) {
      out.println(Json.pretty(report));
    } else {
      print(report, out);
    }
    out.flush();
    boolean well = report.path("ready").asBoolean(false) && report.path("problems").isEmpty();
    return well ? 0 : 1;
  }

  private static void print(ObjectNode report, PrintWriter out) {
    out.printf(
        "node %s: %s%n",
        report.path("node").asString("?"),
        report.path("ready").asBoolean(false) ? "in sync" : "not in sync");
    out.printf("datastore: %s%n", report.path("datastore").asString(""));
    out.printf(
        "cluster: %d nodes, %d pools, %d blocks%n",
        number(report, "nodes"), number(report, "pools"), number(report, "blocks"));
    out.printf(
        "here: %d of %d endpoints ready, %d routes, MTU of workloads %d%n",
        number(report, "readyEndpoints"),
        number(report, "endpoints"),
        number(report, "routes"),
        number(report, "workloadMtu"));
    if (!report.path("podCIDRs").isEmpty()) {
      out.printf(
          "pods of this node: %s%n",
          String.join(
              ", ", report.path("podCIDRs").valueStream().map(cidr -> cidr.asString("")).toList()));
    }
    JsonNode bgp = report.path("bgp");
    if (bgp.path("running").asBoolean(false)) {
      out.printf(
          "BGP: BIRD %s, %d of %d sessions established, see \"ocicat bgp status\"%n",
          bgp.path("version").asString(""),
          bgp.path("established").asInt(0),
          bgp.path("sessions").size());
    } else if (bgp.isObject()) {
      out.println("BGP: BIRD does not run");
    }
    for (JsonNode problem : report.path("problems").values()) {
      out.printf("problem: %s%n", problem.asString(""));
    }
  }

  private static int number(ObjectNode report, String member) {
    return report.path(member).asInt(0);
  }
}
