package io.ocicat.cli.cluster;

import io.ocicat.base.json.Json;
import io.ocicat.cli.machine.FinishedCommand;
import io.ocicat.cli.terminal.TextTable;
import io.ocicat.cni.CniJson;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What a cluster consists of now, as each of its nodes says. */
public final class ClusterStatus {
  private final ClusterSpec spec;
  private final List<NodeStatus> nodes = new ArrayList<>();

  /**
   * A node with its pods.
   *
   * @param health {@code ready}, or why it is not
   */
  private record NodeStatus(NamespaceNode node, String health, List<PodStatus> pods) {
    boolean isReady() {
      return health.equals(READY);
    }
  }

  /**
   * A pod of a node.
   *
   * @param health {@code ready}, or why it is not
   */
  private record PodStatus(
      String namespace,
      String name,
      Map<String, String> labels,
      List<String> addresses,
      String health) {
    static PodStatus read(JsonNode json) {
      Map<String, String> labels = new TreeMap<>();
      json.at("/config/labels").forEachEntry((key, value) -> labels.put(key, value.asString()));
      String problem = json.path("problem").asString("");
      return new PodStatus(
          json.path("namespace").asString(),
          json.path("name").asString(),
          labels,
          json.path("ips").valueStream().map(JsonNode::asString).toList(),
          json.path("state").asString().equals("READY")
              ? READY
              : problem.isEmpty() ? "stopped" : problem);
    }
  }

  private static final String READY = "ready";

  public ClusterStatus(LocalCluster cluster) {
    this.spec = cluster.spec();
    Map<String, NodeStatus> found = new ConcurrentHashMap<>();
    List<NamespaceNode> all = cluster.nodes();
    NodeMaker.atOnce(all, node -> found.put(node.name(), ask(cluster, node)));
    all.forEach(node -> nodes.add(found.get(node.name())));
  }

  private static NodeStatus ask(LocalCluster cluster, NamespaceNode node) {
    boolean alive = new NodeProcess(cluster, node).isAlive();
    FinishedCommand listed =
        FinishedCommand.of(
            cluster.onNode(node, List.of("ocicat", "pod", "list", "--json")), LocalCluster.LIMIT);
    if (listed.code() != 0) {
      return new NodeStatus(node, listed.errorOutput(), List.of());
    }
    List<PodStatus> pods = new ArrayList<>();
    CniJson.parse(listed.out()).path("pods").forEach(pod -> pods.add(PodStatus.read(pod)));
    pods.sort(Comparator.comparing(PodStatus::namespace).thenComparing(PodStatus::name));
    return new NodeStatus(node, alive ? READY : "ocicat node does not run", pods);
  }

  /** Whether all nodes and pods are. */
  boolean isReady() {
    return nodes.stream()
        .allMatch(
            node ->
                node.isReady() && node.pods().stream().allMatch(pod -> pod.health().equals(READY)));
  }

  public ObjectNode toJson() {
    ObjectNode json = Json.object();
    json.put("name", spec.name());
    json.put("network", spec.network().label());
    json.put("datastore", spec.datastore().label());
    json.put("dualStack", spec.dualStack());
    json.set("outside", Json.array(outside()));
    ArrayNode list = json.putArray("nodes");
    for (NodeStatus node : nodes) {
      ObjectNode entry = list.addObject();
      entry.put("name", node.node().name());
      entry.set("addresses", Json.array(addresses(node.node())));
      entry.put("health", node.health());
      ArrayNode pods = entry.putArray("pods");
      for (PodStatus pod : node.pods()) {
        ObjectNode one = pods.addObject();
        one.put("namespace", pod.namespace());
        one.put("name", pod.name());
        ObjectNode labels = one.putObject("labels");
        pod.labels().forEach(labels::put);
        one.set("addresses", Json.array(pod.addresses()));
        one.put("health", pod.health());
      }
    }
    return json;
  }

  private List<String> outside() {
    return spec.dualStack()
        ? List.of(Underlay.OUTSIDE, Underlay.OUTSIDE_6)
        : List.of(Underlay.OUTSIDE);
  }

  private List<String> addresses(NamespaceNode node) {
    return spec.dualStack() ? List.of(node.address(), node.address6()) : List.of(node.address());
  }

  public void print(PrintWriter out) {
    out.println(
        "cluster \"%s\": network %s, %s datastore; outside is %s"
            .formatted(
                spec.name(),
                spec.network().label(),
                spec.datastore().label(),
                String.join(" ", outside())));
    TextTable table = new TextTable("NODE", "POD", "ADDRESSES", "LABELS", "HEALTH");
    for (NodeStatus node : nodes) {
      table.row(
          node.node().name(), "", String.join(" ", addresses(node.node())), "", node.health());
      for (PodStatus pod : node.pods()) {
        table.row(
            "",
            pod.namespace() + "/" + pod.name(),
            String.join(" ", pod.addresses()),
            pod.labels().entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(",")),
            pod.health());
      }
    }
    table.printTo(out);
  }
}
