package io.ocicat.cli.demo;

import io.ocicat.base.json.Json;
import io.ocicat.conformance.lab.Snapshot;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.plugins.net.PluginTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A snapshot of everything on the demo's node that pods leave traces in, as lines that can be
 * compared, and of the allocated addresses. Taken by a process on the node.
 *
 * @param facts what there is, by where it was found
 */
record NodeSnapshot(Map<String, SortedSet<String>> facts, List<AddressHolder> leases) {
  /** The key of what stays on purpose: it is reported, not counted as left over. */
  static final String KEPT = "kept";

  private static final String RULES = "nf_tables";

  private static final Pattern OF_BRIDGE = Pattern.compile("^link cni0 | on cni0( |$)");

  /** Locks, SQLite's own files, host-local's record of the last address, and the demo's folder. */
  private static final Pattern NOBODYS =
      Pattern.compile(
          "lock$|\\.db-(shm|wal)$|/last_reserved_ip\\.[^/]*$|^%s/".formatted(DemoNode.FOLDER));

  private static final List<String> FOLDERS = List.of("/run", "/var/lib", "/var/log");

  NodeSnapshot {
    facts = new TreeMap<>(facts);
    leases = List.copyOf(leases);
  }

  /** A snapshot of the node that this process is on. */
  static NodeSnapshot take(Map<String, String> environment) {
    Map<String, SortedSet<String>> facts = new TreeMap<>();
    try (NetlinkSocket route = NetlinkSocket.open(Protocol.ROUTE);
        NetlinkSocket netfilter = NetlinkSocket.open(Protocol.NETFILTER)) {
      for (String fact : Snapshot.of(route).facts()) {
        put(facts, where(fact), fact);
      }
      addRules(netfilter, facts);
    }
    List<AddressHolder> leases = new ArrayList<>(AddressHolder.ofHostLocal());
    try (Datastore datastore = Datastores.openOwn(DatastoreConfig.ofEnvironment(environment))) {
      leases.addAll(AddressHolder.ofBlocks(datastore));
      for (Kind kind : List.of(Kind.WORKLOAD_ENDPOINT, Kind.IPAM_HANDLE)) {
        for (Resource resource : datastore.list(ResourceQuery.of(kind)).items()) {
          put(facts, "records", resource.describe());
        }
      }
    }
    leases.sort(Comparator.comparing(AddressHolder::address));
    leases.forEach(lease -> put(facts, "leases", lease.address() + " of " + lease.owner()));
    addFiles(facts);
    return new NodeSnapshot(facts, leases);
  }

  private static void put(Map<String, SortedSet<String>> facts, String where, String fact) {
    facts.computeIfAbsent(where, _ -> new TreeSet<>()).add(fact);
  }

  /** Our tables stay for the next pod; what belongs to pods is elements in them. */
  private static void addRules(NetlinkSocket net, Map<String, SortedSet<String>> facts) {
    for (Table table : net.list(Tables.all())) {
      put(facts, where(table.id()), "table " + table.id());
    }
    for (InstalledRule rule : net.list(Rules.all())) {
      put(facts, where(rule.chain().table()), "rule " + rule);
    }
    for (NamedSet set : net.list(Sets.all())) {
      net.list(Elements.in(set))
          .forEach(element -> put(facts, RULES, "element of %s: %s".formatted(set.id(), element)));
    }
  }

  /** flannel's bridge stays for the next pod, too. */
  private static String where(String fact) {
    if (OF_BRIDGE.matcher(fact).find()) {
      return KEPT;
    }
    return fact.startsWith("link ") ? "links" : "addresses and routes";
  }

  private static String where(TableId table) {
    return PluginTables.isNamedAsOurs(table) ? KEPT : RULES;
  }

  private static void addFiles(Map<String, SortedSet<String>> facts) {
    for (String folder : FOLDERS) {
      try (Stream<Path> all = Files.walk(Path.of(folder))) {
        all.filter(file -> !Files.isDirectory(file) && !NOBODYS.matcher(file.toString()).find())
            .forEach(file -> put(facts, "files", file.toString()));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot list " + folder, e);
      }
    }
  }

  /** What is new since an earlier snapshot, each line with where it was found. */
  List<String> newSince(NodeSnapshot earlier) {
    return facts.entrySet().stream()
        .filter(entry -> !entry.getKey().equals(KEPT))
        .flatMap(
            entry ->
                entry.getValue().stream()
                    .filter(
                        fact ->
                            !earlier
                                .facts
                                .getOrDefault(entry.getKey(), new TreeSet<>())
                                .contains(fact))
                    .map(fact -> entry.getKey() + ": " + fact))
        .toList();
  }

  int count(String where) {
    SortedSet<String> found = facts.get(where);
    return found == null ? 0 : found.size();
  }

  ObjectNode toJson() {
    ObjectNode json = Json.object();
    ObjectNode all = json.putObject("facts");
    facts.forEach((where, found) -> all.set(where, Json.array(found)));
    ArrayNode list = json.putArray("leases");
    for (AddressHolder lease : leases) {
      list.addObject()
          .put("address", lease.address())
          .put("owner", lease.owner())
          .put("from", lease.from())
          .set("allocation", Json.array(lease.allocation()));
    }
    return json;
  }

  static NodeSnapshot read(JsonNode json) {
    Map<String, SortedSet<String>> facts = new TreeMap<>();
    json.path("facts")
        .forEachEntry((where, all) -> all.forEach(fact -> put(facts, where, fact.asString())));
    List<AddressHolder> leases = new ArrayList<>();
    for (JsonNode lease : json.path("leases")) {
      leases.add(
          new AddressHolder(
              lease.path("address").asString(),
              lease.path("owner").asString(),
              lease.path("from").asString(),
              lease.path("allocation").valueStream().map(JsonNode::asString).toList()));
    }
    return new NodeSnapshot(facts, leases);
  }
}
