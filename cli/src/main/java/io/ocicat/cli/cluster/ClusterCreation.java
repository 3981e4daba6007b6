package io.ocicat.cli.cluster;

import io.ocicat.cli.machine.InstalledPrograms;
import io.ocicat.cli.machine.MachineException;
import io.ocicat.cli.machine.NamespaceHolder;
import io.ocicat.netlink.linux.FileLock;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Creates a cluster. Until it is kept it ends with this process, however that ends: then the pipe
 * to the process that holds its namespaces does.
 *
 * @param users whether to use a user namespace, for users other than root
 */
public record ClusterCreation(
    ClusterFolder folder, InstalledPrograms installed, boolean users, PrintWriter err) {

  /**
   * Brings it up; {@link LocalCluster#keep} lets it outlive this process.
   *
   * @param steps is told each step, in a few words
   * @throws MachineException when it is up already, or cannot be brought up; then nothing is left
   */
  public LocalCluster create(ClusterSpec spec, Consumer<String> steps) {
    spec.datastore().requirePrograms();
    spec.network().requirePrograms();
    try (FileLock _ = folder.claim()) {
      folder.find().ifPresent(found -> refuse(found, spec));
      NamespaceHolder holder =
          NamespaceHolder.open(
              users,
              NamespaceHolder.script(ClusterCreation.class, "cluster.sh"),
              "ocicat-cluster",
              installed.home().toString(),
              spec.name());
      Thread interruption = Thread.ofPlatform().name("interruption").unstarted(() -> undo(holder));
      Runtime.getRuntime().addShutdownHook(interruption);
      try {
        folder.save(spec, holder, false);
        LocalCluster cluster = new LocalCluster(spec, holder, installed);
        build(cluster, steps);
        folder.save(spec, holder, true);
        disarm(interruption);
        return cluster;
      } catch (RuntimeException e) {
        disarm(interruption);
        holder.close();
        folder.remove();
        throw e;
      }
    }
  }

  private static void refuse(ClusterFolder.Recorded found, ClusterSpec wanted) {
    if (!found.ready()) {
      throw new MachineException(
          "what is left of cluster \"%s\" is still ending: try again".formatted(wanted.name()));
    }
    throw new MachineException(
        "cluster \"%s\" is up already%s: %s; end it with `ocicat cluster down`, or give another --name"
            .formatted(
                wanted.name(),
                found.spec().equals(wanted) ? "" : ", with other options",
                found.spec().describe()));
  }

  private static void build(LocalCluster cluster, Consumer<String> steps) {
    ClusterSpec spec = cluster.spec();
    NodeMaker maker = new NodeMaker(cluster);
    steps.accept("creating " + ClusterSpec.count(spec.nodes(), "node"));
    List<NamespaceNode> nodes =
        maker.create(IntStream.rangeClosed(1, spec.nodes()).mapToObj(NodeMaker::name).toList());
    if (spec.datastore() == ClusterDatastore.ETCD) {
      steps.accept("starting etcd");
      maker.startEtcd();
    }
    steps.accept("starting ocicat node on each");
    maker.start(nodes);
    steps.accept("running %s on each".formatted(ClusterSpec.count(spec.pods(), "pod")));
    maker.runPods(nodes, spec.pods());
  }

  private void undo(NamespaceHolder holder) {
    holder.close();
    folder.remove();
    err.println("ocicat: interrupted; everything is taken down, nothing is left");
    err.flush();
  }

  /**
   * Does not return once the cluster is being undone: whatever fails then fails for that reason.
   */
  private static void disarm(Thread interruption) {
    try {
      Runtime.getRuntime().removeShutdownHook(interruption);
    } catch (IllegalStateException _) {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
