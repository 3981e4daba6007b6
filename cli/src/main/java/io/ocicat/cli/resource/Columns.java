package io.ocicat.cli.resource;

import static java.util.Map.entry;

import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The table columns of each kind: calicoctl's, and ours for kinds that it does not have. */
final class Columns {
  private static final int LONGEST = 80;
  private static final String SERVICE = "kubernetes.io/service-name";

  /**
   * A column and the value it shows of a resource; the supplier has the default AS number of nodes.
   */
  record Column(String heading, BiFunction<Resource, Supplier<String>, String> value) {
    String of(Resource resource, Supplier<String> defaultAs) {
      return value.apply(resource, defaultAs);
    }
  }

  private static final Column NAME = column("NAME", resource -> resource.key().name());
  private static final Column NAMESPACE =
      column("NAMESPACE", resource -> resource.key().namespace());

  private static final List<Column> POLICY =
      List.of(
          NAME,
          column("TIER", resource -> resource.text("spec", "tier").orElse("default")),
          spec("ORDER", "order"),
          spec("SELECTOR", "selector"));

  private static final Map<Kind, List<Column>> ALL =
      Map.ofEntries(
          entry(
              Kind.WORKLOAD_ENDPOINT,
              List.of(
                  NAME,
                  column("WORKLOAD", Columns::workload),
                  spec("NODE", "node"),
                  spec("NETWORKS", "ipNetworks"),
                  spec("INTERFACE", "interfaceName"),
                  spec("PROFILES", "profiles"),
                  column("NATS", Columns::nats),
                  spec("ORCHESTRATOR", "orchestrator"),
                  NAMESPACE)),
          entry(
              Kind.IP_POOL,
              List.of(
                  NAME,
                  spec("CIDR", "cidr"),
                  flag("NAT", "natOutgoing"),
                  spec("IPIPMODE", "ipipMode"),
                  spec("VXLANMODE", "vxlanMode"),
                  flag("DISABLED", "disabled"),
                  flag("DISABLEBGPEXPORT", "disableBGPExport"),
                  spec("SELECTOR", "nodeSelector"),
                  spec("ASSIGNMENTMODE", "assignmentMode"))),
          entry(Kind.IP_RESERVATION, List.of(NAME, spec("CIDRS", "reservedCIDRs"))),
          entry(
              Kind.NODE,
              List.of(
                  NAME,
                  new Column("ASN", Columns::asNumber),
                  column("IPV4", node -> node.text("spec", "bgp", "ipv4Address").orElse("")),
                  column("IPV6", node -> node.text("spec", "bgp", "ipv6Address").orElse("")),
                  column("PODCIDRS", node -> shown(at(node, "status", "podCIDRs"))))),
          entry(
              Kind.NAMESPACE,
              List.of(
                  NAME,
                  column("LABELS", it -> shown(at(it, "metadata", "labels"))),
                  column("ANNOTATIONS", it -> shown(at(it, "metadata", "annotations"))))),
          entry(
              Kind.KUBERNETES_NETWORK_POLICY,
              List.of(
                  NAME, spec("PODSELECTOR", "podSelector"), spec("POLICYTYPES", "policyTypes"))),
          entry(
              Kind.CLUSTER_NETWORK_POLICY,
              List.of(NAME, spec("TIER", "tier"), spec("PRIORITY", "priority"))),
          entry(
              Kind.ENDPOINT_SLICE,
              List.of(
                  NAME,
                  column("SERVICE", it -> it.labels().getOrDefault(SERVICE, "")),
                  column("ENDPOINTS", Columns::endpoints))),
          entry(Kind.PROFILE, List.of(NAME, spec("LABELS", "labelsToApply"))),
          entry(
              Kind.HOST_ENDPOINT,
              List.of(
                  NAME,
                  spec("NODE", "node"),
                  spec("INTERFACE", "interfaceName"),
                  spec("IPS", "expectedIPs"),
                  spec("PROFILES", "profiles"))),
          entry(Kind.NETWORK_POLICY, POLICY),
          entry(Kind.GLOBAL_NETWORK_POLICY, POLICY),
          entry(Kind.STAGED_NETWORK_POLICY, POLICY),
          entry(Kind.STAGED_GLOBAL_NETWORK_POLICY, POLICY),
          entry(
              Kind.STAGED_KUBERNETES_NETWORK_POLICY,
              List.of(NAME, spec("PODSELECTOR", "podSelector"))),
          entry(
              Kind.CALICO_NODE_STATUS,
              List.of(NAME, spec("NODE", "node"), spec("CLASSES", "classes"))),
          entry(Kind.NETWORK_SET, List.of(NAME, spec("NETS", "nets"))),
          entry(Kind.GLOBAL_NETWORK_SET, List.of(NAME, spec("NETS", "nets"))),
          entry(Kind.TIER, List.of(NAME, spec("ORDER", "order"))),
          entry(
              Kind.BGP_PEER,
              List.of(
                  NAME,
                  spec("PEERIP", "peerIP"),
                  column("NODE", Columns::peeringNode),
                  spec("ASN", "asNumber"))),
          entry(
              Kind.BGP_CONFIGURATION,
              List.of(
                  NAME,
                  orDash("LOGSEVERITY", "logSeverityScreen"),
                  orDash("MESHENABLED", "nodeToNodeMeshEnabled"),
                  orDash("ASNUMBER", "asNumber"))),
          entry(
              Kind.BGP_FILTER,
              List.of(
                  NAME,
                  count("NUMEXPORTV4", "exportV4"),
                  count("NUMIMPORTV4", "importV4"),
                  count("NUMEXPORTV6", "exportV6"),
                  count("NUMIMPORTV6", "importV6"))),
          entry(Kind.FELIX_CONFIGURATION, List.of(NAME)),
          entry(Kind.KUBE_CONTROLLERS_CONFIGURATION, List.of(NAME)),
          entry(
              Kind.CLUSTER_INFORMATION,
              List.of(
                  NAME,
                  spec("CLUSTERGUID", "clusterGUID"),
                  spec("CLUSTERTYPE", "clusterType"),
                  spec("CALICOVERSION", "calicoVersion"),
                  spec("DATASTOREREADY", "datastoreReady"))),
          entry(
              Kind.IPAM_CONFIGURATION,
              List.of(
                  NAME,
                  flag("STRICTAFFINITY", "strictAffinity"),
                  flag("AUTOALLOCATEBLOCKS", "autoAllocateBlocks"),
                  spec("MAXBLOCKSPERHOST", "maxBlocksPerHost"))),
          entry(
              Kind.IPAM_CONFIG,
              List.of(
                  NAME,
                  record("STRICTAFFINITY", "strict_affinity"),
                  record("AUTOALLOCATEBLOCKS", "auto_allocate_blocks"),
                  record("MAXBLOCKSPERHOST", "maxBlocksPerHost"))),
          entry(
              Kind.IPAM_BLOCK,
              List.of(
                  column("CIDR", block -> block.key().name()),
                  record("AFFINITY", "affinity"),
                  column("INUSE", Columns::inUse))),
          entry(
              Kind.BLOCK_AFFINITY,
              List.of(
                  column("CIDR", affinity -> key(affinity).cidr().toString()),
                  column("NODE", affinity -> key(affinity).host()),
                  record("STATE", "state"),
                  NAME)),
          entry(Kind.IPAM_HANDLE, List.of(NAME, column("ADDRESSES", Columns::held))),
          entry(Kind.IPAM_HOST, List.of(NAME)));

  /** Those that are shown by default; all others only on request. */
  private static final Map<Kind, List<String>> FEW =
      Map.ofEntries(
          entry(Kind.WORKLOAD_ENDPOINT, List.of("WORKLOAD", "NODE", "NETWORKS", "INTERFACE")),
          entry(Kind.IP_POOL, List.of("NAME", "CIDR", "SELECTOR")),
          entry(Kind.IP_RESERVATION, List.of("NAME")),
          entry(Kind.NODE, List.of("NAME")),
          entry(Kind.NAMESPACE, List.of("NAME", "LABELS")),
          entry(Kind.PROFILE, List.of("NAME")),
          entry(Kind.HOST_ENDPOINT, List.of("NAME", "NODE")),
          entry(Kind.NETWORK_POLICY, List.of("NAME", "TIER")),
          entry(Kind.GLOBAL_NETWORK_POLICY, List.of("NAME", "TIER")),
          entry(Kind.STAGED_NETWORK_POLICY, List.of("NAME", "TIER")),
          entry(Kind.STAGED_GLOBAL_NETWORK_POLICY, List.of("NAME", "TIER")),
          entry(Kind.STAGED_KUBERNETES_NETWORK_POLICY, List.of("NAME")),
          entry(Kind.CALICO_NODE_STATUS, List.of("NAME", "NODE")),
          entry(Kind.NETWORK_SET, List.of("NAME")),
          entry(Kind.GLOBAL_NETWORK_SET, List.of("NAME")),
          entry(Kind.BLOCK_AFFINITY, List.of("CIDR", "NODE", "STATE")));

  private static final List<String> ONLY_CUSTOM = List.of("ORCHESTRATOR", "NAMESPACE", "PODCIDRS");

  private Columns() {}

  static List<Column> few(Kind kind) {
    return FEW.containsKey(kind) ? named(kind, FEW.getOrDefault(kind, List.of())) : wide(kind);
  }

  static List<Column> wide(Kind kind) {
    return all(kind).stream().filter(c -> !ONLY_CUSTOM.contains(c.heading())).toList();
  }

  static Column namespace() {
    return NAMESPACE;
  }

  /**
   * Columns by their headings, or by a heading, a colon and a path in kubectl's syntax.
   *
   * @throws UsageException when there is no such column
   */
  static List<Column> named(Kind kind, List<String> names) {
    List<Column> chosen = new ArrayList<>();
    for (String name : names) {
      int colon = name.indexOf(':');
      if (colon > 0) {
        JsonPath path = JsonPath.parse(name.substring(colon + 1));
        chosen.add(
            column(
                name.substring(0, colon).toUpperCase(Locale.ROOT),
                resource -> path.text(ResourceForm.document(resource))));
        continue;
      }
      List<Column> all = all(kind);
      chosen.add(
          all.stream()
              .filter(column -> column.heading().equalsIgnoreCase(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new UsageException(
                          "%s has no column \"%s\": there are %s; or write a path, as in %s:.metadata.uid"
                              .formatted(
                                  kind,
                                  name,
                                  String.join(", ", all.stream().map(Column::heading).toList()),
                                  name.isEmpty() ? "UID" : name))));
    }
    return List.copyOf(chosen);
  }

  private static List<Column> all(Kind kind) {
    List<Column> own = ALL.getOrDefault(kind, List.of(NAME));
    if (!kind.isNamespaced() || own.contains(NAMESPACE)) {
      return own;
    }
    List<Column> all = new ArrayList<>(own);
    all.add(NAMESPACE);
    return all;
  }

  private static Column column(String heading, Function<Resource, String> value) {
    return new Column(heading, (resource, _) -> value.apply(resource));
  }

  private static Column spec(String heading, String member) {
    return column(heading, resource -> shown(at(resource, "spec", member)));
  }

  private static Column record(String heading, String member) {
    return column(
        heading, resource -> shown(resource.<JsonNode>read(content -> content.path(member))));
  }

  private static Column flag(String heading, String member) {
    return column(
        heading, resource -> String.valueOf(at(resource, "spec", member).asBoolean(false)));
  }

  private static Column orDash(String heading, String member) {
    return column(
        heading,
        resource -> {
          String text = shown(at(resource, "spec", member));
          return text.isEmpty() ? "-" : text;
        });
  }

  private static Column count(String heading, String member) {
    return column(heading, resource -> String.valueOf(at(resource, "spec", member).size()));
  }

  private static JsonNode at(Resource resource, String object, String member) {
    return resource.read(content -> content.path(object).path(member));
  }

  /** Text as it is, lists with commas in between, names and values as in {@code a=b}. */
  private static String shown(JsonNode value) {
    String text =
        switch (value.getNodeType()) {
          case STRING -> value.stringValue();
          case ARRAY -> String.join(",", value.values().stream().map(Columns::shown).toList());
          case OBJECT ->
              String.join(
                  ",",
                  value.properties().stream()
                      .map(entry -> entry.getKey() + "=" + shown(entry.getValue()))
                      .toList());
          case NULL, MISSING -> "";
          case NUMBER, BOOLEAN, BINARY, POJO -> StoredJson.compact(value);
        };
    return text.length() > LONGEST ? text.substring(0, LONGEST - 3) + "..." : text;
  }

  private static String workload(Resource endpoint) {
    return endpoint
        .text("spec", "pod")
        .or(() -> endpoint.text("spec", "workload"))
        .or(() -> endpoint.text("spec", "containerID"))
        .orElse("");
  }

  private static String nats(Resource endpoint) {
    return String.join(
        ",",
        at(endpoint, "spec", "ipNATs").values().stream()
            .map(
                nat ->
                    nat.path("internalIP").asString("") + "/" + nat.path("externalIP").asString(""))
            .toList());
  }

  private static String asNumber(Resource node, Supplier<String> defaultAs) {
    JsonNode bgp = at(node, "spec", "bgp");
    if (!(bgp instanceof ObjectNode)) {
      return "";
    }
    String own = shown(bgp.path("asNumber"));
    return own.isEmpty() ? "(" + defaultAs.get() + ")" : own;
  }

  private static String peeringNode(Resource peer) {
    return peer.text("spec", "node")
        .filter(node -> !node.isEmpty())
        .or(() -> peer.text("spec", "nodeSelector").filter(selector -> !selector.isEmpty()))
        .orElse("(global)");
  }

  private static ResourceKey.Affinity key(Resource affinity) {
    return (ResourceKey.Affinity) affinity.key();
  }

  private static String inUse(Resource block) {
    JsonNode allocations = block.<JsonNode>read(content -> content.path("allocations"));
    long used = allocations.values().stream().filter(JsonNode::isIntegralNumber).count();
    return used + " of " + allocations.size();
  }

  private static String endpoints(Resource slice) {
    return slice.read(
        content ->
            content
                .path("endpoints")
                .valueStream()
                .map(endpoint -> shown(endpoint.path("addresses")))
                .collect(Collectors.joining(",")));
  }

  private static String held(Resource handle) {
    return String.valueOf(
        handle.<Long>read(
            content -> content.path("block").values().stream().mapToLong(n -> n.asLong(0)).sum()));
  }
}
