package io.ocicat.cli.cluster;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * A node of a cluster.
 *
 * @param number which of the underlay's addresses it has
 * @param holder the process, in the cluster's own process namespace, that holds its namespaces
 */
public record NamespaceNode(String name, int number, long holder) {

  /** What is started on the node is told. */
  Map<String, String> environment(ClusterSpec spec) {
    Map<String, String> variables = new TreeMap<>(spec.network().environment(spec.dualStack()));
    variables.putAll(spec.datastore().environment());
    variables.put("NODENAME", name);
    variables.put("IP", address() + "/24");
    if (spec.dualStack()) {
      variables.put("IP6", address6() + "/64");
    }
    variables.put("NETCONFPATH", "/run/cni/net.d");
    variables.put("OCICAT_RUN_DIR", "/run/ocicat");
    variables.put("OCICAT_STATE_DIR", "/var/lib/ocicat");
    return variables;
  }

  String address() {
    return Underlay.address(number);
  }

  String address6() {
    return Underlay.address6(number);
  }

  /** A file of its own, as it is seen in the cluster's mount namespace. */
  static Path folder(String name) {
    return Path.of("/run/ocicat-cluster/nodes", name);
  }
}
