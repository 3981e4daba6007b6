package io.ocicat.cli.cluster;

import io.ocicat.cli.machine.FinishedCommand;
import io.ocicat.cli.machine.InstalledPrograms;
import io.ocicat.cli.machine.MachineException;
import io.ocicat.cli.machine.NamespaceHolder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A cluster that is there: its namespaces, and how commands get into them. A node's namespaces are
 * below those of the cluster, so that everything ends with the one process that holds these.
 */
public final class LocalCluster {
  static final Duration LIMIT = Duration.ofMinutes(2);

  /** Variables that configure this machine's node, or a datastore of another cluster. */
  private static final Pattern OF_THE_MACHINE =
      Pattern.compile(
          "(CALICO|FELIX|FLANNELD|ETCD|K8S|KUBERNETES|CNI)_.*|KUBECONFIG|NO_DEFAULT_POOLS|IP6?"
              + "|HOSTNAME|OCICAT_(ON_DEMAND|RUN_DIR|STATE_DIR|FLANNEL|CLUSTER_CIDR|NODE_CIDR_.*)");

  private final ClusterSpec spec;
  private final NamespaceHolder holder;
  private final InstalledPrograms installed;

  LocalCluster(ClusterSpec spec, NamespaceHolder holder, InstalledPrograms installed) {
    this.spec = spec;
    this.holder = holder;
    this.installed = installed;
  }

  /**
   * The cluster of a folder.
   *
   * @throws MachineException when it is not up
   */
  static LocalCluster find(ClusterFolder folder, InstalledPrograms installed) {
    ClusterFolder.Recorded found =
        folder
            .find()
            .orElseThrow(
                () ->
                    new MachineException(
                        "no cluster \"%s\" is up: start one with `ocicat cluster up`"
                            .formatted(folder.name())));
    if (!found.ready()) {
      throw new MachineException(
          "cluster \"%s\" is not up yet: process %d is bringing it up"
              .formatted(folder.name(), found.creator().pid()));
    }
    return new LocalCluster(found.spec(), found.holder(), installed);
  }

  /** Lets it outlive this process, which has created it. */
  public void keep() {
    holder.keep();
  }

  /** Ends everything in it at once. */
  public void end(ClusterFolder folder) {
    holder.close();
    folder.remove();
  }

  ClusterSpec spec() {
    return spec;
  }

  NamespaceHolder holder() {
    return holder;
  }

  InstalledPrograms installed() {
    return installed;
  }

  /** A file of the cluster's mount namespace, as this process can reach it. */
  Path file(Path inside) {
    return Path.of("/proc", Long.toString(holder.process().pid()), "root")
        .resolve(inside.toString().substring(1));
  }

  /** The records of a node's pods. */
  Path pods(NamespaceNode node) {
    return file(
        NamespaceNode.folder(node.name())
            .resolve(spec.datastore() == ClusterDatastore.EMBEDDED ? "pods" : "lib/ocicat/pods"));
  }

  /** In the order of their numbers. */
  public List<NamespaceNode> nodes() {
    List<NamespaceNode> nodes = new ArrayList<>();
    try (DirectoryStream<Path> folders =
        Files.newDirectoryStream(file(Path.of("/run/ocicat-cluster/nodes")))) {
      for (Path folder : folders) {
        read(folder).ifPresent(nodes::add);
      }
    } catch (IOException e) {
      throw new MachineException("the nodes of the cluster cannot be listed: " + e, e);
    }
    nodes.sort(Comparator.comparingInt(NamespaceNode::number));
    return nodes;
  }

  /** Empty for one that is being created or removed. */
  private static Optional<NamespaceNode> read(Path folder) throws IOException {
    try {
      return Optional.of(
          new NamespaceNode(
              folder.getFileName().toString(),
              Integer.parseInt(Files.readString(folder.resolve("number")).strip()),
              Long.parseLong(Files.readString(folder.resolve("holder")).strip())));
    } catch (NoSuchFileException | NumberFormatException _) {
      return Optional.empty();
    }
  }

  Optional<NamespaceNode> findNode(String name) {
    return nodes().stream().filter(node -> node.name().equals(name)).findFirst();
  }

  NamespaceNode node(String name) {
    return findNode(name)
        .orElseThrow(
            () ->
                new MachineException(
                    "cluster \"%s\" has no node %s: it has %s"
                        .formatted(
                            spec.name(),
                            name,
                            String.join(
                                ", ", nodes().stream().map(NamespaceNode::name).toList()))));
  }

  /** The command line that runs something in the cluster's own namespaces: the underlay. */
  List<String> onUnderlay(String... command) {
    List<String> line = holder.enter();
    line.addAll(List.of("env", "PATH=" + installed.searchPath()));
    line.addAll(List.of(command));
    return line;
  }

  /** The command line that runs something on a node. */
  List<String> onNode(NamespaceNode node, List<String> command) {
    return within(node, "ns/net", command);
  }

  /**
   * The command line that runs something on a node, in the network namespace of a pod.
   *
   * @param netns its path on the node
   */
  List<String> inPod(NamespaceNode node, Path netns, List<String> command) {
    return within(node, "root" + netns, command);
  }

  private List<String> within(NamespaceNode node, String netns, List<String> command) {
    // By the cluster's /proc: node.holder() is a number of its process namespace.
    Path process = file(Path.of("/proc", Long.toString(node.holder())));
    List<String> line = new ArrayList<>();
    line.add("nsenter");
    if (holder.users()) {
      line.addAll(List.of("--user=" + process.resolve("ns/user"), "--preserve-credentials"));
    }
    line.add("--mount=" + process.resolve("ns/mnt"));
    line.add("--uts=" + process.resolve("ns/uts"));
    line.add("--pid=" + process.resolve("ns/pid_for_children"));
    line.add("--net=" + process.resolve(netns));
    line.add("env");
    System.getenv().keySet().stream()
        .filter(name -> OF_THE_MACHINE.matcher(name).matches())
        .forEach(name -> line.addAll(List.of("-u", name)));
    Map<String, String> variables = node.environment(spec);
    variables.put("PATH", installed.searchPath());
    variables.put("CNI_PATH", installed.plugins().toString());
    variables.forEach((name, value) -> line.add(name + "=" + value));
    line.addAll(command);
    return line;
  }

  /** The output of a command on a node that must succeed. */
  public String run(NamespaceNode node, String... command) {
    return require(FinishedCommand.of(onNode(node, List.of(command)), LIMIT), node.name(), command);
  }

  /** The output of a command on the underlay that must succeed. */
  String runOnUnderlay(String... command) {
    return require(FinishedCommand.of(onUnderlay(command), LIMIT), "the underlay", command);
  }

  private static String require(FinishedCommand finished, String where, String... command) {
    if (finished.code() != 0) {
      String shown = command[0].equals("sh") ? "" : "`%s`: ".formatted(String.join(" ", command));
      throw new MachineException(
          "%s: %s%s".formatted(where, shown, finished.errorOutput().replaceFirst("^ocicat: ", "")));
    }
    return finished.out();
  }
}
