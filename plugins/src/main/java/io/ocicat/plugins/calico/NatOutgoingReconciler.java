package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.NetworkName;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.masquerade.Masquerade;
import io.ocicat.plugins.net.NetnsSockets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Ensures that traffic from pools with {@code natOutgoing} is masqueraded exactly once: by the
 * node's agent, if there is one, otherwise by {@link NatOutgoingTable}. This holds for every
 * datastore.
 *
 * @param status the directory where an agent writes the status of endpoints
 */
record NatOutgoingReconciler(
    NetnsSockets host, NetworkName network, String node, Path status, Datastore datastore) {

  static NatOutgoingReconciler of(
      NetnsSockets host, NetworkName network, CalicoConf conf, String node, CalicoBackend backend) {
    return new NatOutgoingReconciler(
        host, network, node, conf.endpointStatusDir(), backend.datastore());
  }

  /** Who masquerades, and which pools. */
  sealed interface Decision {
    /** The node's agent does; our table must not interfere. */
    record LeftToAgent(NodeAgent agent) implements Decision {}

    /** We do, because nobody else does. */
    record Ours(NatOutgoing wanted) implements Decision {}
  }

  /**
   * Decides by the node's current state.
   *
   * @param pools called only when there is no agent
   */
  Decision decide(Supplier<List<IpPool>> pools) {
    return look().decide(pools);
  }

  /**
   * What is on the node, as one dump of its tables tells.
   *
   * @param agent who serves the node, if anybody does
   */
  record Snapshot(List<Table> tables, Optional<NodeAgent> agent) {
    Snapshot {
      tables = List.copyOf(tables);
    }

    Decision decide(Supplier<List<IpPool>> pools) {
      return agent.isPresent()
          ? new Decision.LeftToAgent(agent.get())
          : new Decision.Ours(NatOutgoing.of(pools.get()));
    }
  }

  Snapshot look() {
    List<Table> tables = tables();
    return new Snapshot(tables, NodeAgent.find(host, tables, status));
  }

  /** Decides by the current pools of the datastore. */
  Decision decide() {
    return decide(this::pools);
  }

  /** The current pools of the datastore. */
  List<IpPool> pools() {
    return CalicoBackend.attempt(
        "error listing IP pools",
        () ->
            datastore.list(ResourceQuery.of(Kind.IP_POOL)).items().stream()
                .map(IpPool::of)
                .toList());
  }

  /** Puts the decision into effect; usually nothing has to change. */
  void apply(Decision decision) {
    apply(decision, tables());
  }

  /**
   * The same by tables that were read for the decision. Who changes ours meanwhile has looked later
   * than that, and the daemon looks again.
   */
  void apply(Decision decision, List<Table> tables) {
    NatOutgoingTable table = table();
    switch (decision) {
      case Decision.LeftToAgent _ -> table.remove(tables);
      case Decision.Ours(NatOutgoing wanted) -> {
        if (!wanted.isNeeded()) {
          table.remove(tables);
        } else if (!table.isFor(wanted, tables)) {
          replace(table, wanted);
        }
      }
    }
  }

  private void replace(NatOutgoingTable table, NatOutgoing wanted) {
    table.replace(wanted, wanted.andTo(excludedNodes()));
    // Earlier versions had elements for each container, which also masqueraded towards other pools.
    Masquerade.removeAll(host, network);
  }

  /**
   * Checks everything again, including what an ADD does not ask for.
   *
   * @param pools the current ones
   */
  void reconcile(List<IpPool> pools) {
    Decision decision = decide(() -> pools);
    if (decision instanceof Decision.Ours(NatOutgoing wanted) && wanted.isNeeded()) {
      NatOutgoing whole = wanted.andTo(excludedNodes());
      if (!table().isExactlyFor(wanted, whole, tables()) || !table().isComplete(whole)) {
        replace(table(), wanted);
      }
    } else {
      apply(decision);
      Masquerade.removeAll(host, network);
    }
  }

  /**
   * Checks that these addresses are masqueraded by the right party.
   *
   * @throws CniException naming one that is not
   */
  void verify(Decision decision, List<IpAddress> addresses) {
    if (!(decision instanceof Decision.Ours(NatOutgoing wanted))) {
      return;
    }
    Optional<IpAddress> concerned = addresses.stream().filter(wanted::masquerades).findFirst();
    if (concerned.isPresent() && !(table().isFor(wanted, tables()) && table().isComplete(wanted))) {
      throw new CniException(
              ErrorCode.INTERNAL,
              "address %s is not masqueraded".formatted(concerned.get()),
              "table %s is not as the pools say: the daemon or the next ADD puts it right"
                  .formatted(table().id()))
          .because(FailureReason.MASQUERADE_MISSING);
    }
  }

  private NatOutgoingTable table() {
    return new NatOutgoingTable(host, network);
  }

  private List<Table> tables() {
    return host.hasNfTables() ? host.netfilter().list(Tables.all()) : List.of();
  }

  /** The addresses of all nodes, if {@code natOutgoingExclusions} excludes them. */
  private List<IpAddress> excludedNodes() {
    try {
      return exclusions("node." + node).or(() -> exclusions("default")).stream()
              .anyMatch("IPPoolsAndHostIPs"::equals)
          ? datastore.list(ResourceQuery.of(Kind.NODE)).items().stream()
              .flatMap(NatOutgoingReconciler::addresses)
              .toList()
          : List.of();
    } catch (UnauthorizedException _) {
      // Without permission to read Felix's configuration we do without it.
      return List.of();
    }
  }

  private Optional<String> exclusions(String name) {
    try {
      return datastore
          .get(ResourceKey.of(Kind.FELIX_CONFIGURATION, name))
          .text("spec", "natOutgoingExclusions");
    } catch (NotFoundException _) {
      return Optional.empty();
    }
  }

  private static Stream<IpAddress> addresses(Resource node) {
    List<String> texts = new ArrayList<>();
    node.text("spec", "bgp", "ipv4Address").ifPresent(texts::add);
    node.text("spec", "bgp", "ipv6Address").ifPresent(texts::add);
    node.read(
        json -> {
          json.path("spec")
              .path("addresses")
              .values()
              .forEach(address -> texts.add(address.path("address").asString("")));
          return texts;
        });
    return texts.stream()
        .filter(text -> !text.isEmpty())
        .flatMap(text -> parse(text.split("/", 2)[0]).stream());
  }

  private static Optional<IpAddress> parse(String text) {
    try {
      return Optional.of(IpAddress.parse(text));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }
}
