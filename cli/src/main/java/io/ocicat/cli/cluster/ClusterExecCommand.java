package io.ocicat.cli.cluster;

import io.ocicat.base.json.Json;
import io.ocicat.cli.machine.FinishedCommand;
import io.ocicat.cli.machine.MachineException;
import io.ocicat.cli.options.NodeContext;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ocicat cluster exec}: runs a command on a node or in a pod. */
@Command(
    name = "exec",
    description = {
      "Run a program on a node or in a pod of a cluster.",
      "It has the node's files and processes, and ocicat on its PATH with the cluster's datastore; in a pod it has the pod's network."
    },
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Example: ocicat cluster exec node-1 -- ip route",
      "         ocicat cluster exec default/web-1 -- ping -c1 10.65.0.2"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the program's own",
      "1:the program's own, or it could not be run",
      "2:the program's own, or the command line is invalid",
      "128+N:the program was ended by signal N"
    })
final class ClusterExecCommand extends ClusterCommand.Sub {
  private static final Duration LONGEST = Duration.ofDays(1);

  @Parameters(
      index = "0",
      paramLabel = "NODE|NAMESPACE/POD",
      description = "Where to run it; \"outside\" is the host outside of the cluster.")
  private String where = "";

  @Parameters(
      index = "1..*",
      paramLabel = "COMMAND",
      arity = "1..*",
      description = "What to run, after --.")
  private List<String> command = List.of();

  ClusterExecCommand(NodeContext context) {
    super(context);
  }

  @Override
  public Integer call() {
    LocalCluster cluster = found();
    List<String> line = line(cluster);
    if (json()) {
      FinishedCommand finished = FinishedCommand.of(line, LONGEST);
      out()
          .println(
              Json.pretty(
                  Json.object()
                      .put("exitCode", finished.code())
                      .put("stdout", finished.out())
                      .put("stderr", finished.err())));
      return finished.code();
    }
    try {
      return new ProcessBuilder(line).inheritIO().start().waitFor();
    } catch (IOException e) {
      throw new MachineException("cannot run nsenter: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MachineException("interrupted", e);
    }
  }

  private List<String> line(LocalCluster cluster) {
    if (where.equals("outside")) {
      List<String> line =
          new ArrayList<>(cluster.onUnderlay("nsenter", "--net=/run/netns/outside"));
      line.addAll(command);
      return line;
    }
    return where.contains("/")
        ? ClusterPod.find(cluster, where).commandIn(cluster, command)
        : cluster.onNode(cluster.node(where), command);
  }
}
