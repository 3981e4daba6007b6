package io.ocicat.cli.doctor;

import io.ocicat.cli.check.ClusterPeers;
import io.ocicat.cli.check.Discrepancy;
import io.ocicat.cli.check.PathCheck;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.ip.IpAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks that this node's kernel has what packets to the other nodes of its cluster and to their
 * pods need, and names rules of others that may drop them.
 */
record OtherNodesCheck(NodeContext context) implements DoctorCheck {
  @Override
  public String name() {
    return "nodes";
  }

  @Override
  public List<DoctorFinding> run() {
    ClusterPeers peers = ClusterPeers.read(datastore());
    String node = context.nodeName();
    if (!peers.nodes().containsKey(node) || peers.nodes().size() < 2) {
      return List.of();
    }
    Map<String, Set<Discrepancy>> found = new LinkedHashMap<>();
    List<DoctorFinding> findings = new ArrayList<>();
    try (PathCheck paths = PathCheck.here()) {
      peers
          .nodes()
          .forEach(
              (name, addresses) -> {
                if (!name.equals(node)) {
                  addresses.forEach(address -> add(found, name, paths.toNode(name, address)));
                }
              });
      for (ClusterPeers.Pod pod : peers.pods().values()) {
        if (!pod.node().equals(node)) {
          for (IpAddress address : pod.addresses()) {
            List<IpAddress> owner = peers.nodes().getOrDefault(pod.node(), List.of());
            add(found, pod.node(), paths.toPods(pod.node(), owner, address));
          }
        }
      }
      paths.firewall().stream()
          .limit(1)
          .forEach(
              rule ->
                  findings.add(
                      DoctorFinding.note(
                          rule.sentence(),
                          "it may drop what pods send; `ocicat connectivity` shows whether it does",
                          rule.advice())));
    }
    found.forEach((name, all) -> all.forEach(one -> findings.add(finding(name, one))));
    return findings;
  }

  /** That of the environment; an embedded one is with the other state of this machine. */
  private DatastoreConfig datastore() {
    Map<String, String> environment = new HashMap<>(context.environment());
    environment.put("OCICAT_STATE_DIR", context.folders().state().toString());
    return DatastoreConfig.ofEnvironment(environment);
  }

  /** What many paths have in common is one finding. */
  private static void add(
      Map<String, Set<Discrepancy>> found, String node, List<Discrepancy> discrepancies) {
    for (Discrepancy one : discrepancies) {
      if (found.values().stream().noneMatch(all -> all.contains(one))) {
        found.computeIfAbsent(node, _ -> new LinkedHashSet<>()).add(one);
      }
    }
  }

  private static DoctorFinding finding(String node, Discrepancy one) {
    return DoctorFinding.problem(
        one.sentence(), "pods here do not reach %s or its pods".formatted(node), one.advice());
  }
}
