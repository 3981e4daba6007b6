package io.ocicat.cli.cluster;

import io.ocicat.base.json.Json;
import io.ocicat.cli.machine.Preflight;
import io.ocicat.cli.options.NodeContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ocicat cluster up}: creates a cluster. */
@Command(
    name = "up",
    description = {
      "Bring a cluster up.",
      "Each node has a network, files and processes of its own, and runs \"ocicat node\"."
    },
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Root needs nothing else; for everybody else the kernel must allow user namespaces.",
      "",
      "Example: ocicat cluster up --nodes 3 --pods 2 --network calico-vxlan"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:it is up",
      "1:it could not be brought up, and nothing is left of it; or it is up already",
      "2:the command line is invalid; nothing was done",
      "130:interrupted by Ctrl-C, and everything was removed"
    })
final class ClusterUpCommand extends ClusterCommand.Sub {
  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "How many nodes (default: ${DEFAULT-VALUE}).")
  private int nodes = 3;

  @Option(
      names = "--pods",
      paramLabel = "N",
      defaultValue = "2",
      description = "How many pods on each node (default: ${DEFAULT-VALUE}).")
  private int pods = 2;

  @Option(
      names = "--network",
      paramLabel = "NAME",
      defaultValue = "calico",
      converter = ClusterNetwork.Converter.class,
      description =
          "How pods of different nodes reach each other: calico (routes), calico-vxlan, calico-ipip, calico-bgp (routes by BIRD), flannel-vxlan or flannel-host-gw (default: ${DEFAULT-VALUE}).")
  private ClusterNetwork network = ClusterNetwork.CALICO;

  @Option(names = "--dual-stack", description = "Give nodes and pods IPv6 addresses as well.")
  private boolean dualStack;

  @Option(
      names = "--datastore",
      paramLabel = "NAME",
      defaultValue = "embedded",
      converter = ClusterDatastore.Converter.class,
      description = "embedded (one file that all nodes reach) or etcd (default: ${DEFAULT-VALUE}).")
  private ClusterDatastore datastore = ClusterDatastore.EMBEDDED;

  @Option(
      names = "--wire",
      hidden = true,
      description = "Connect the nodes of the cluster that this runs in.")
  private boolean wire;

  ClusterUpCommand(NodeContext context) {
    super(context);
  }

  @Override
  public Integer call() {
    if (wire) {
      connect();
      return 0;
    }
    require("--nodes", nodes, 1, ClusterSpec.MOST_NODES);
    require("--pods", pods, 0, ClusterSpec.MOST_PODS);
    ClusterSpec wanted = new ClusterSpec(clusterName(), network, datastore, dualStack, nodes, pods);
    LocalCluster cluster =
        new ClusterCreation(folder(), installed(), Preflight.needsUserNamespace(), err())
            .create(wanted, this::report);
    cluster.keep();
    if (json()) {
      out().println(Json.pretty(new ClusterStatus(cluster).toJson()));
    } else {
      out()
          .println(
              "cluster \"%s\" is up: %s, %s on each"
                  .formatted(
                      wanted.name(), wanted.describe(), ClusterSpec.count(wanted.pods(), "pod")));
      String option = wanted.name().equals("ocicat") ? "" : " --name " + wanted.name();
      out().println("  ocicat cluster status%s         its nodes and pods".formatted(option));
      out().println("  ocicat cluster connectivity%s   who reaches whom".formatted(option));
      out().println("  ocicat cluster down%s           removes it".formatted(option));
    }
    return 0;
  }

  private void report(String step) {
    if (!json()) {
      err().println(step + "…");
      err().flush();
    }
  }

  private void require(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw invalid("%s must be %d–%d, not %d".formatted(option, least, most, value));
    }
  }

  private void connect() {
    try (Underlay underlay = Underlay.open(dualStack, network == ClusterNetwork.CALICO_IPIP);
        DirectoryStream<Path> folders =
            Files.newDirectoryStream(Path.of("/run/ocicat-cluster/nodes"))) {
      for (Path folder : folders) {
        String holder = Files.readString(folder.resolve("holder")).strip();
        underlay.connect(
            Integer.parseInt(Files.readString(folder.resolve("number")).strip()),
            Path.of("/proc", holder, "ns", "net"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("this is not the underlay of a cluster: " + e, e);
    }
  }
}
