package io.ocicat.datastore.kv;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.datastore.cluster.ClusterCidr;
import io.ocicat.datastore.cluster.NodeCidrs;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.Write;
import io.ocicat.datastore.resource.WriteOutcome;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Allocates the ranges of nodes' pods in {@code status.podCIDRs} of Calico's Nodes. No range is
 * ever given to two nodes, however many start at once and wherever one of them is killed.
 *
 * <p>One key, the ledger, says which node was given what. An allocation reads the ledger, then all
 * Nodes, chooses the first part that is in neither, and writes ledger and Node in one transaction,
 * on condition that both are as they were read. Two allocations that read the same ledger cannot
 * both be committed, whatever sizes of parts they have in mind; the second reads again and sees
 * what the first one wrote. There is nothing to undo: before the transaction nothing is written,
 * and after it everything is. When one attempt is refused, another allocation has succeeded or the
 * Node was written, so somebody always makes progress; the pause before the next attempt grows, so
 * that many nodes that start at once do not keep reading in vain.
 *
 * <p>What a Node says has precedence over the ledger: a range that a user wrote is kept, counts as
 * used, and enters the ledger. The ledger in turn preserves the range of a Node whose status is
 * lost, because another program replaced the whole Node: the node gets the same one again while its
 * pods run. An entry counts only as long as its Node exists, and the next transaction drops it.
 *
 * <p>What cannot be prevented is that somebody writes a range into a Node by hand just after the
 * Nodes were listed. Every later {@link #ensure} of either node reports the overlap.
 *
 * <p>An allocation costs three reads and a transaction. The ledger has about 60 bytes for each
 * node; etcd accepts values up to 1.5 MiB, which is enough for 20,000 nodes.
 */
final class StoredNodeCidrs implements NodeCidrs {
  static final String LEDGER = "/ocicat/v1/podcidrs";

  private static final int ATTEMPTS = 200;
  private static final long LONGEST_PAUSE_MILLIS = 100;

  private final KeyValueDatastore datastore;

  StoredNodeCidrs(KeyValueDatastore datastore) {
    this.datastore = datastore;
  }

  /**
   * The ledger as read.
   *
   * @param modified 0 when it does not exist yet
   */
  private record Ledger(Map<String, List<IpPrefix>> nodes, long modified) {}

  @Override
  public Allocation ensure(String name, List<ClusterCidr> ranges) {
    // Nodes that start at once differ in name, and so in their pauses.
    SplittableRandom jitter = new SplittableRandom(name.hashCode());
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      Ledger ledger = ledger();
      Resource node = datastore.get(ResourceKey.of(Kind.NODE, name));
      Map<String, List<IpPrefix>> used = usedByOthers(name, ledger);
      List<IpPrefix> taken = used.values().stream().flatMap(List::stream).toList();
      List<IpPrefix> own = new ArrayList<>(written(node));
      for (ClusterCidr range : ranges) {
        if (own.stream().noneMatch(range::isSameFamily)) {
          Optional<IpPrefix> part = earlier(range, name, ledger, taken);
          if (part.isEmpty()) {
            part = range.firstFree(taken);
          }
          if (part.isEmpty()) {
            return new Exhausted(range, holders(range, used));
          }
          own.add(part.get());
        }
      }
      used.put(name, own);
      if (isStored(node, own, ledger, name) || commit(node, own, ledger, used)) {
        used.remove(name);
        return new Allocated(own, overlaps(own, used));
      }
      LockSupport.parkNanos(
          TimeUnit.MILLISECONDS.toNanos(
              jitter.nextLong(1 + Math.min(2L * attempt, LONGEST_PAUSE_MILLIS))));
    }
    throw new ConflictException(
        "Node %s got no range for its pods: other nodes were given theirs in each of %d attempts: try again"
            .formatted(name, ATTEMPTS));
  }

  private Ledger ledger() {
    Optional<KeyValue> entry = datastore.store().get(LEDGER);
    Map<String, List<IpPrefix>> nodes = new TreeMap<>();
    if (entry.isPresent()) {
      try {
        StoredJson.parseObject(entry.get().value())
            .path("nodes")
            .forEachEntry(
                (name, cidrs) ->
                    nodes.put(
                        name,
                        cidrs.valueStream().map(it -> IpPrefix.parse(it.asString(""))).toList()));
      } catch (IllegalArgumentException e) {
        throw new CorruptException(
            "%s in the datastore is not a list of nodes and their ranges: %s: delete the key, it is made again of the Nodes"
                .formatted(LEDGER, e.getMessage()),
            e);
      }
    }
    return new Ledger(nodes, entry.map(KeyValue::modified).orElse(0L));
  }

  /** What all other Nodes have, and what the ledger says of those. */
  private Map<String, List<IpPrefix>> usedByOthers(String name, Ledger ledger) {
    Map<String, List<IpPrefix>> used = new TreeMap<>();
    for (Resource other : datastore.list(ResourceQuery.of(Kind.NODE)).items()) {
      String otherName = other.key().name();
      if (!otherName.equals(name)) {
        List<IpPrefix> cidrs = new ArrayList<>();
        texts(other).forEach(text -> IpPrefix.tryParse(text).ifPresent(cidrs::add));
        if (cidrs.isEmpty()) {
          cidrs.addAll(ledger.nodes().getOrDefault(otherName, List.of()));
        }
        if (!cidrs.isEmpty()) {
          used.put(otherName, cidrs);
        }
      }
    }
    return used;
  }

  static List<String> texts(Resource node) {
    return node.read(
        document ->
            document.at("/status/podCIDRs").valueStream().map(it -> it.asString("")).toList());
  }

  private static List<IpPrefix> written(Resource node) {
    return texts(node).stream()
        .map(
            text ->
                IpPrefix.tryParse(text)
                    .orElseThrow(
                        () ->
                            new CorruptException(
                                "status.podCIDRs of %s has %s, which is not a network: correct or remove it"
                                    .formatted(node.describe(), Quoted.brief(text)))))
        .toList();
  }

  /** The part that the node had before its Node was replaced, if it still can have it. */
  private static Optional<IpPrefix> earlier(
      ClusterCidr range, String name, Ledger ledger, List<IpPrefix> taken) {
    return ledger.nodes().getOrDefault(name, List.of()).stream()
        .filter(part -> range.range().contains(part))
        .filter(part -> taken.stream().noneMatch(part::overlaps))
        .findFirst();
  }

  private static int holders(ClusterCidr range, Map<String, List<IpPrefix>> used) {
    return (int)
        used.values().stream()
            .filter(cidrs -> cidrs.stream().anyMatch(range.range()::overlaps))
            .count();
  }

  private static Map<IpPrefix, String> overlaps(
      List<IpPrefix> own, Map<String, List<IpPrefix>> used) {
    Map<IpPrefix, String> found = new HashMap<>();
    used.forEach(
        (other, cidrs) ->
            own.stream()
                .filter(mine -> cidrs.stream().anyMatch(mine::overlaps))
                .forEach(mine -> found.putIfAbsent(mine, other)));
    return found;
  }

  private static boolean isStored(Resource node, List<IpPrefix> own, Ledger ledger, String name) {
    return written(node).equals(own) && own.equals(ledger.nodes().getOrDefault(name, List.of()));
  }

  private boolean commit(
      Resource node, List<IpPrefix> own, Ledger ledger, Map<String, List<IpPrefix>> all) {
    Resource changed =
        node.edit(
            document -> {
              ArrayNode cidrs = document.withObject("/status").putArray("podCIDRs");
              own.forEach(cidr -> cidrs.add(cidr.toString()));
            });
    ObjectNode value = Json.object();
    ObjectNode nodes = value.putObject("nodes");
    all.forEach(
        (name, cidrs) -> {
          ArrayNode list = nodes.putArray(name);
          cidrs.forEach(cidr -> list.add(cidr.toString()));
        });
    Transaction record =
        new Transaction(
            List.of(new Condition(LEDGER, ledger.modified())),
            List.of(new Change.Put(LEDGER, StoredJson.compact(value))));
    return datastore.commit(List.of(new Write.Update(changed)), record)
        instanceof WriteOutcome.Done;
  }
}
