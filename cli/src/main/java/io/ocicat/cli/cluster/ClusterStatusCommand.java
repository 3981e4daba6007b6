package io.ocicat.cli.cluster;

import io.ocicat.base.json.Json;
import io.ocicat.cli.options.NodeContext;
import picocli.CommandLine.Command;

/** {@code ocicat cluster status}: lists the nodes of a cluster and their pods. */
@Command(
    name = "status",
    description = "List the nodes and pods of a cluster, and their health.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat cluster status --json"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all nodes and pods are ready",
      "1:one is not, or no such cluster is up",
      "2:the command line is invalid"
    })
final class ClusterStatusCommand extends ClusterCommand.Sub {
  ClusterStatusCommand(NodeContext context) {
    super(context);
  }

  @Override
  public Integer call() {
    ClusterStatus status = new ClusterStatus(found());
    if (json()) {
      out().println(Json.pretty(status.toJson()));
    } else {
      status.print(out());
    }
    return status.isReady() ? 0 : 1;
  }
}
