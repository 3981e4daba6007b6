package io.ocicat.cli.ipam;

import io.ocicat.base.BootId;
import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.daemon.address.KernelAddresses;
import io.ocicat.daemon.address.NodeAddressLiveness;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.check.IpamFinding;
import io.ocicat.ipam.gc.ClusterLiveness;
import io.ocicat.ipam.gc.CollectionResult;
import io.ocicat.ipam.gc.GarbageCollector;
import io.ocicat.ipam.gc.NodeLiveness;
import io.ocicat.ipam.gc.VirtualMachines;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.ClockAndRandom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat ipam gc}: releases addresses that nothing uses. */
@Command(
    name = "gc",
    description = {
      "Release what was left behind.",
      "That is addresses of this node that nothing on it has, addresses and blocks of nodes that are gone, and handles that no block knows."
    },
    footer = {
      "",
      "Scans twice, and releases only what was the same both times. What any endpoint, record of"
          + " an",
      "attachment or interface of this machine has, is alive. Needs root, to look into namespaces.",
      "",
      "Example: ocicat ipam gc --dry-run"
    })
final class IpamGcCommand extends IpamCommandContext {
  private static final Path NODE_NAME = Path.of("/var/lib/calico/nodename");
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

  @Option(
      names = "--dry-run",
      description = "Scan once, and only report what a second scan would check.")
  private boolean dryRun;

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description =
          "This node (default: what /var/lib/calico/nodename says, else the host's name).")
  private @Nullable String node;

  @Option(
      names = "--grace",
      paramLabel = "SECONDS",
      description =
          "How long after the first scan the second one starts (default: ${DEFAULT-VALUE}).",
      defaultValue = "60")
  private int grace = 60;

  private final Supplier<Set<IpAddress>> kernel;

  IpamGcCommand(CommandContext context) {
    this(context, KernelAddresses::ofMachine);
  }

  /** For tests, whose machine has no addresses of pools. */
  IpamGcCommand(CommandContext context, Supplier<Set<IpAddress>> kernel) {
    super(context);
    this.kernel = kernel;
  }

  @Override
  protected int run() {
    return withIpam(this::collect);
  }

  private int collect(Datastore datastore, Ipam ipam) {
    String here = node == null ? nodeName() : node;
    Set<String> nodes =
        datastore.list(ResourceQuery.of(Kind.NODE)).items().stream()
            .map(resource -> resource.key().name())
            .collect(Collectors.toSet());
    if (!nodes.contains(here)) {
      throw new CommandException(
          "the datastore knows no node \"%s\", so nobody can tell which nodes are gone: say --node"
              .formatted(here));
    }
    Duration apart = Duration.ofSeconds(grace);
    GarbageCollector collector =
        new GarbageCollector(
            ipam,
            datastore,
            ClockAndRandom.ofSystem(),
            VirtualMachines.of(datastore::cluster),
            apart);
    List<AddressInfo> suspects = collector.collect(truth(datastore, here)).suspects();
    if (dryRun) {
      printResult(
          suspects, ipam.check().run().findings().stream().filter(IpamFinding::isSafe).toList());
      return 0;
    }
    CollectionResult first = collector.collect(clusterTruth(datastore, nodes));
    boolean again =
        !suspects.isEmpty() || !first.suspects().isEmpty() || hasLostHosts(datastore, nodes);
    if (again) {
      err()
          .println(
              "%d addresses look dead: looking again in %d s"
                  .formatted(
                      suspects.size() + first.suspects().size(), apart.plusSeconds(1).toSeconds()));
      err().flush();
      pause(apart.plusSeconds(1));
    }
    CollectionResult local = collector.collect(truth(datastore, here));
    CollectionResult cluster = again ? collector.collect(clusterTruth(datastore, nodes)) : first;
    List<IpamFinding> repaired = new ArrayList<>(first.repaired());
    if (again) {
      repaired.addAll(cluster.repaired());
    }
    return printResult(local, cluster, repaired);
  }

  private NodeLiveness truth(Datastore datastore, String here) {
    DaemonState state = new DaemonState(StateFolders.of(context.environment()), BootId.current());
    return NodeAddressLiveness.of(here, state, datastore).and(kernel.get()).toNodeLiveness();
  }

  private static ClusterLiveness clusterTruth(Datastore datastore, Set<String> nodes) {
    return new ClusterLiveness(nodes, UsedAddresses.of(datastore).all());
  }

  private static boolean hasLostHosts(Datastore datastore, Set<String> nodes) {
    return BlockList.of(datastore).stream()
        .flatMap(block -> BlockOwner.parse(block.affinity()).stream())
        .anyMatch(owner -> !nodes.contains(owner.name()));
  }

  private void printResult(List<AddressInfo> suspects, List<IpamFinding> findings) {
    if (json) {
      ObjectNode document = Json.object();
      document.set(
          "suspects",
          Json.array(suspects.stream().map(info -> info.address().toString()).toList()));
      document.set("repairable", Json.array(findings.stream().map(IpamFinding::subject).toList()));
      print(document);
      return;
    }
    for (AddressInfo info : suspects) {
      out().println("%s of handle %s looks dead".formatted(info.address(), info.handle()));
    }
    findings.forEach(
        finding ->
            out().println("%s: %s".formatted(finding.subject(), oneLine(finding.explanation()))));
    out()
        .println(
            "%d addresses look dead, %d records would be repaired."
                .formatted(suspects.size(), findings.size()));
  }

  private int printResult(
      CollectionResult local, CollectionResult cluster, List<IpamFinding> repaired) {
    List<String> released = new ArrayList<>();
    for (List<IpAddress> list : List.of(local.released(), cluster.released())) {
      list.forEach(address -> released.add(address.toString()));
    }
    List<String> hosts = cluster.hosts().stream().map(BlockOwner::name).toList();
    List<RuntimeException> problems = new ArrayList<>(local.problems());
    problems.addAll(cluster.problems());
    problems.forEach(problem -> err().println("ocicat: " + oneLine("" + problem.getMessage())));
    if (json) {
      ObjectNode document = Json.object();
      document.set("released", Json.array(released));
      document.set("repaired", Json.array(repaired.stream().map(IpamFinding::subject).toList()));
      document.set("nodes", Json.array(hosts));
      print(document);
    } else {
      released.forEach(address -> out().println("released " + address));
      repaired.forEach(finding -> out().println("repaired " + finding.subject()));
      hosts.forEach(host -> out().println("gave up the blocks of " + host));
      out()
          .println(
              "Released %d addresses, repaired %d records, gave up the blocks of %d nodes."
                  .formatted(released.size(), repaired.size(), hosts.size()));
    }
    return problems.isEmpty() ? 0 : 1;
  }

  private static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted before the second scan", e);
    }
  }

  private static String nodeName() {
    try {
      return Files.isReadable(NODE_NAME)
          ? Files.readString(NODE_NAME).strip()
          : Files.readString(HOST_NAME).strip().toLowerCase(Locale.ROOT);
    } catch (IOException e) {
      throw new CommandException("this node's name cannot be read: say --node", e);
    }
  }
}
