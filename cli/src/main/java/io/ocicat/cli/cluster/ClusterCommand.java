package io.ocicat.cli.cluster;

import io.ocicat.cli.machine.InstalledPrograms;
import io.ocicat.cli.machine.Preflight;
import io.ocicat.cli.options.NodeContext;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ocicat cluster}: the group of cluster commands, and what they share. */
@Command(
    name = "cluster",
    description = {
      "Run a cluster of nodes on this machine, to try things.",
      "Nodes and pods are namespaces; nothing on this machine changes, and nothing is left after \"down\"."
    },
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class ClusterCommand {
  private ClusterCommand() {}

  public static CommandLine of(NodeContext context) {
    return new CommandLine(new ClusterCommand())
        .addSubcommand(new ClusterUpCommand(context))
        .addSubcommand(new ClusterStatusCommand(context))
        .addSubcommand(new ClusterExecCommand(context))
        .addSubcommand(new ClusterConnectivityCommand(context))
        .addSubcommand(ClusterNodeCommand.of(context))
        .addSubcommand(new ClusterDownCommand(context));
  }

  /** The base of a subcommand. */
  abstract static class Sub implements Callable<Integer> {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    private final NodeContext context;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--name",
        paramLabel = "NAME",
        defaultValue = "ocicat",
        description = "Which cluster (default: ${DEFAULT-VALUE}).")
    private String cluster = "ocicat";

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    Sub(NodeContext context) {
      this.context = context;
    }

    NodeContext context() {
      return context;
    }

    boolean json() {
      return json;
    }

    String clusterName() {
      return requireName(cluster, "cluster");
    }

    /** As Kubernetes has them: it becomes part of paths and of names. */
    String requireName(String name, String of) {
      if (!NAME.matcher(name).matches()) {
        throw invalid(
            "\"%s\" cannot be the name of a %s: use lower-case letters, digits and -, at most 63"
                .formatted(name, of));
      }
      return name;
    }

    ClusterFolder folder() {
      return ClusterFolder.of(context.environment(), clusterName());
    }

    static InstalledPrograms installed() {
      return Preflight.distribution("cluster");
    }

    /** The cluster, which must be up. */
    LocalCluster found() {
      return LocalCluster.find(folder(), installed());
    }

    ParameterException invalid(String message) {
      return new ParameterException(spec.commandLine(), message);
    }

    PrintWriter out() {
      return spec.commandLine().getOut();
    }

    PrintWriter err() {
      return spec.commandLine().getErr();
    }
  }
}
