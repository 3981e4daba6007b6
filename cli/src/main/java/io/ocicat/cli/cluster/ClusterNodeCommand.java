package io.ocicat.cli.cluster;

import io.ocicat.base.json.Json;
import io.ocicat.cli.machine.MachineException;
import io.ocicat.cli.options.NodeContext;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ocicat cluster node}: changes the nodes of a cluster that is up. */
@Command(
    name = "node",
    description = "Add and remove nodes, and stop and start what runs on them.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
final class ClusterNodeCommand {
  private ClusterNodeCommand() {}

  static CommandLine of(NodeContext context) {
    return new CommandLine(new ClusterNodeCommand())
        .addSubcommand(new Add(context))
        .addSubcommand(new Remove(context))
        .addSubcommand(new Stop(context))
        .addSubcommand(new Start(context));
  }

  /** The base of these commands. */
  abstract static class Sub extends ClusterCommand.Sub {
    @Parameters(paramLabel = "NODE", description = "The node's name.")
    private String name = "";

    private final String done;

    Sub(NodeContext context, String done) {
      super(context);
      this.done = done;
    }

    String name() {
      return requireName(name, "node");
    }

    @Override
    public final Integer call() {
      String node = name();
      change(found());
      if (json()) {
        out().println(Json.pretty(Json.object().put("node", node).put("state", done)));
      } else {
        out().println("%s is %s".formatted(node, done));
      }
      return 0;
    }

    abstract void change(LocalCluster cluster);
  }

  /** {@code ocicat cluster node add}. */
  @Command(
      name = "add",
      description = "Add a node, with the next free address.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example: ocicat cluster node add node-4 --pods 1"})
  static final class Add extends Sub {
    @Option(
        names = "--pods",
        paramLabel = "N",
        defaultValue = "0",
        description = "How many pods to run on it (default: ${DEFAULT-VALUE}).")
    private int pods;

    Add(NodeContext context) {
      super(context, "added");
    }

    @Override
    void change(LocalCluster cluster) {
      if (cluster.findNode(name()).isPresent()) {
        throw new MachineException(
            "cluster \"%s\" has a node %s already".formatted(cluster.spec().name(), name()));
      }
      if (pods < 0 || pods > ClusterSpec.MOST_PODS) {
        throw invalid("--pods must be 0–%d, not %d".formatted(ClusterSpec.MOST_PODS, pods));
      }
      NodeMaker maker = new NodeMaker(cluster);
      List<NamespaceNode> added = maker.create(List.of(name()));
      maker.start(added);
      maker.runPods(added, pods);
    }
  }

  /** {@code ocicat cluster node remove}. */
  @Command(
      name = "remove",
      description = "Remove a node with its pods, also from the datastore.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example: ocicat cluster node remove node-3"})
  static final class Remove extends Sub {
    Remove(NodeContext context) {
      super(context, "removed");
    }

    @Override
    void change(LocalCluster cluster) {
      new NodeMaker(cluster).remove(cluster.node(name()));
    }
  }

  /** {@code ocicat cluster node stop}. */
  @Command(
      name = "stop",
      description = "Stop \"ocicat node\" on a node; its pods keep their networks.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example: ocicat cluster node stop node-2 --kill"})
  static final class Stop extends Sub {
    @Option(names = "--kill", description = "At once, by SIGKILL.")
    private boolean kill;

    Stop(NodeContext context) {
      super(context, "stopped");
    }

    @Override
    void change(LocalCluster cluster) {
      new NodeProcess(cluster, cluster.node(name())).stop(kill);
    }
  }

  /** {@code ocicat cluster node start}. */
  @Command(
      name = "start",
      description = "Start \"ocicat node\" on a node again.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example: ocicat cluster node start node-2"})
  static final class Start extends Sub {
    Start(NodeContext context) {
      super(context, "started");
    }

    @Override
    void change(LocalCluster cluster) {
      new NodeProcess(cluster, cluster.node(name())).start();
    }
  }
}
