package io.ocicat.cli.cluster;

import io.ocicat.base.json.Json;
import io.ocicat.cli.connectivity.ConnectivityMatrix;
import io.ocicat.cli.options.NodeContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ocicat cluster connectivity}: who reaches whom in a cluster. */
@Command(
    name = "connectivity",
    description = {
      "Find out by packets who reaches whom in a cluster, and why not.",
      "From every pod and node to every other, and outside: with packets as large as the link takes, by ICMP and TCP."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat cluster connectivity --json"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every pair is connected",
      "1:one is not, or no such cluster is up",
      "2:the command line is invalid; nothing was done"
    })
final class ClusterConnectivityCommand extends ClusterCommand.Sub {
  @Option(
      names = "--timeout",
      paramLabel = "MILLISECONDS",
      defaultValue = "1000",
      description = "How long to wait for each answer (default: ${DEFAULT-VALUE}).")
  private int timeout = 1000;

  ClusterConnectivityCommand(NodeContext context) {
    super(context);
  }

  @Override
  public Integer call() {
    if (timeout < 1 || timeout > 60_000) {
      throw invalid("--timeout %d is not in 1–60000".formatted(timeout));
    }
    ConnectivityMatrix matrix = new ClusterConnectivity(found()).run(timeout);
    if (json()) {
      out().println(Json.pretty(matrix.toJson()));
    } else {
      matrix.print(out());
    }
    return matrix.isComplete() ? 0 : 1;
  }
}
