package io.ocicat.cli.demo;

import io.ocicat.cni.json.Json;
import io.ocicat.conformance.lab.Snapshot;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.Kind;
import io.ocicat.datastore.Query;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.Tables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * How the node looks at a moment: everything that pods leave traces in, as sentences that can be
 * compared, and who has which address. Taken by a process on the node.
 *
 * @param facts what there is, by where it was found
 */
record Look(Map<String, SortedSet<String>> facts, List<Lease> leases) {
  private static final List<String> FOLDERS = List.of("/run", "/var/lib", "/var/log");

  Look {
    facts = new TreeMap<>(facts);
    leases = List.copyOf(leases);
  }

  /** The node that this process is on. */
  static Look around(Map<String, String> environment) {
    Map<String, SortedSet<String>> facts = new TreeMap<>();
    try (NetlinkSocket route = NetlinkSocket.open(Protocol.ROUTE);
        NetlinkSocket netfilter = NetlinkSocket.open(Protocol.NETFILTER)) {
      for (String fact : Snapshot.of(route).facts()) {
        put(facts, fact.startsWith("link ") ? "links" : "addresses and routes", fact);
      }
      addRules(netfilter, facts);
    }
    List<Lease> leases = new ArrayList<>(Lease.ofHostLocal());
    try (Datastore datastore = Datastores.openOwn(DatastoreConfig.ofEnvironment(environment))) {
      leases.addAll(Lease.ofBlocks(datastore));
      for (Kind kind : List.of(Kind.WORKLOAD_ENDPOINT, Kind.IPAM_HANDLE)) {
        for (Resource resource : datastore.list(Query.of(kind)).items()) {
          put(facts, "records", resource.describe());
        }
      }
    }
    leases.forEach(lease -> put(facts, "leases", lease.address() + " of " + lease.owner()));
    addFiles(facts);
    return new Look(facts, leases);
  }

  private static void put(Map<String, SortedSet<String>> facts, String where, String fact) {
    facts.computeIfAbsent(where, _ -> new TreeSet<>()).add(fact);
  }

  private static void addRules(NetlinkSocket net, Map<String, SortedSet<String>> facts) {
    String where = "nf_tables";
    net.list(Tables.all()).forEach(table -> put(facts, where, "table " + table.id()));
    net.list(Rules.all()).forEach(rule -> put(facts, where, "rule " + rule));
    for (NamedSet set : net.list(Sets.all())) {
      net.list(Elements.in(set))
          .forEach(element -> put(facts, where, "element of %s: %s".formatted(set.id(), element)));
    }
  }

  private static void addFiles(Map<String, SortedSet<String>> facts) {
    for (String folder : FOLDERS) {
      try (Stream<Path> all = Files.walk(Path.of(folder))) {
        all.filter(file -> !Files.isDirectory(file))
            .forEach(f -> put(facts, "files", f.toString()));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot list " + folder, e);
      }
    }
  }

  /** What is there that was not there earlier, each line with where it was found. */
  List<String> newSince(Look earlier) {
    return facts.entrySet().stream()
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
    for (Lease lease : leases) {
      list.addObject()
          .put("address", lease.address())
          .put("owner", lease.owner())
          .put("from", lease.from());
    }
    return json;
  }

  static Look read(JsonNode json) {
    Map<String, SortedSet<String>> facts = new TreeMap<>();
    json.path("facts")
        .forEachEntry((where, all) -> all.forEach(fact -> put(facts, where, fact.asString())));
    List<Lease> leases = new ArrayList<>();
    for (JsonNode lease : json.path("leases")) {
      leases.add(
          new Lease(
              lease.path("address").asString(),
              lease.path("owner").asString(),
              lease.path("from").asString()));
    }
    return new Look(facts, leases);
  }
}
