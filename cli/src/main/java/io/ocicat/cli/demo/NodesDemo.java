package io.ocicat.cli.demo;

import io.ocicat.cli.cluster.ClusterConnectivity;
import io.ocicat.cli.cluster.ClusterCreation;
import io.ocicat.cli.cluster.ClusterDatastore;
import io.ocicat.cli.cluster.ClusterFolder;
import io.ocicat.cli.cluster.ClusterNetwork;
import io.ocicat.cli.cluster.ClusterSpec;
import io.ocicat.cli.cluster.ClusterStatus;
import io.ocicat.cli.cluster.LocalCluster;
import io.ocicat.cli.cluster.NamespaceNode;
import io.ocicat.cli.connectivity.ConnectivityMatrix;
import io.ocicat.cli.machine.InstalledPrograms;
import io.ocicat.cli.machine.Preflight;
import io.ocicat.cni.CniJson;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat demo --nodes}: shows how pods of different nodes reach each other. */
record NodesDemo(
    InstalledPrograms installed,
    ClusterFolder folder,
    DemoNarrator narrator,
    PrintWriter err,
    ObjectNode facts) {
  static final String NAME = "demo";
  private static final int TIMEOUT_MILLIS = 1000;

  int run(ClusterNetwork network, int nodes, boolean keep) {
    boolean flannel = network == ClusterNetwork.FLANNEL_VXLAN;
    long begin = System.nanoTime();
    narrator.title("Ocicat: how pods of %d nodes reach each other".formatted(nodes));
    narrator.title("Everything happens in namespaces of its own; nothing on this machine changes.");
    narrator.chapter(1, "A cluster of its own");
    narrator.command(
        "ocicat cluster up --name %s --nodes %d --pods 2%s"
            .formatted(NAME, nodes, flannel ? " --network " + network.label() : ""));
    LocalCluster cluster =
        new ClusterCreation(folder, installed, Preflight.needsUserNamespace(), err)
            .create(
                new ClusterSpec(NAME, network, ClusterDatastore.EMBEDDED, false, nodes, 2),
                step -> narrator.dim(step + "…"));
    DemoInterrupt interruption = DemoInterrupt.closing(() -> cluster.end(folder), err);
    boolean done = false;
    try {
      narrator.paragraph(
          "Each node has its own network, files and processes. All are on one Ethernet; behind its"
              + " router is a host outside of the cluster, which has no route to pods.");
      narrator.chapter(2, "Nodes and pods");
      narrator.command("ocicat cluster status --name " + NAME);
      ClusterStatus status = new ClusterStatus(cluster);
      show(status::print);
      facts.set("cluster", status.toJson());
      showRoutes(cluster, flannel);
      narrator.chapter(4, "Who reaches whom");
      narrator.command("ocicat cluster connectivity --name " + NAME);
      ConnectivityMatrix matrix = new ClusterConnectivity(cluster).run(TIMEOUT_MILLIS);
      show(matrix::print);
      facts.set("pairs", matrix.toJson());
      narrator.paragraph(
          "Each cell is the time of a small packet and its answer in milliseconds, and the size of"
              + " the largest packet that arrives whole. Pods reach each other with their own"
              + " addresses; outside they are seen with their node's (%s)."
                  .formatted(flannel ? "ipMasq" : "natOutgoing"));
      if (keep) {
        interruption.disarm();
        cluster.keep();
        done = true;
        narrator.close(
            "It stays up: \"ocicat cluster exec --name %1$s node-1 -- bash\" opens a shell on a node, \"ocicat cluster down --name %1$s\" removes everything."
                .formatted(NAME));
      }
      return matrix.isComplete() ? 0 : 1;
    } finally {
      if (!done) {
        interruption.disarm();
        narrator.chapter(5, "Removing it all");
        cluster.end(folder);
        narrator.fine("the cluster is gone: its processes, namespaces, mounts, links and files");
        facts.put("seconds", (System.nanoTime() - begin) / 1e9);
        narrator.close(
            "That was everything, in %s. Next: --keep leaves it up; docs/cluster.md has the rest."
                .formatted(DemoNarrator.seconds(System.nanoTime() - begin)));
      }
    }
  }

  private void show(Consumer<PrintWriter> table) {
    StringWriter text = new StringWriter();
    try (PrintWriter out = new PrintWriter(text)) {
      table.accept(out);
    }
    text.toString().lines().forEach(narrator::show);
  }

  private void showRoutes(LocalCluster cluster, boolean flannel) {
    narrator.chapter(3, "How a node finds the pods of the others");
    NamespaceNode node = cluster.nodes().getFirst();
    narrator.command("ocicat cluster exec --name %s %s -- ip route".formatted(NAME, node.name()));
    JsonNode kernel =
        CniJson.parse(cluster.run(node, "ocicat", "demo", "--kernel", "/proc/self/ns/net"));
    for (JsonNode route : kernel.at("/node/routes")) {
      String gateway = route.path("gateway").asString("");
      String device = route.path("dev").asString("");
      String type = route.path("type").asString("");
      narrator.show(
          "%s%s%s%s"
              .formatted(
                  type.isEmpty() ? "" : type + " ",
                  route.path("dst").asString(),
                  gateway.isEmpty() ? "" : " via " + gateway,
                  device.isEmpty() ? "" : " dev " + device));
    }
    facts.set("routes", kernel.at("/node/routes"));
    narrator.paragraph(
        flannel
            ? "Its own pods are on the bridge cni0. The pods of another node have their addresses from"
                + " the subnet that the node has leased; one route for each lease leads through"
                + " flannel.1, a VXLAN device that knows by the lease to which node it sends."
            : "A pod of its own is behind a link of its own. The pods of another node have their"
                + " addresses from that node's blocks; one route for each block leads to the node.");
  }
}
