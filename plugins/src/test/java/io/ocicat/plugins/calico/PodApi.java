package io.ocicat.plugins.calico;

import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.cluster.PodManifest;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.model.ApiGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A Kubernetes API with the node of the tests, and a kubeconfig for it with the permissions of
 * {@code calico-cni-plugin} in Calico's manifests: no lists of pods, no watches.
 */
final class PodApi implements AutoCloseable {
  static final String NODE = "node-a";
  static final String TOKEN = "calico-cni-plugin";
  private static final String ADMIN = "admin";

  private final TestCluster cluster = new TestCluster(ApiGroup.V1);
  private final Path kubeconfig;

  private PodApi(Path kubeconfig) {
    this.kubeconfig = kubeconfig;
  }

  static PodApi start(Path directory) {
    PodApi api = new PodApi(directory.resolve("calico-kubeconfig"));
    api.cluster.accept(ADMIN);
    api.cluster.grant(TOKEN, permissions());
    api.token(TOKEN);
    api.clear();
    return api;
  }

  static Set<String> permissions() {
    Set<String> permissions =
        new HashSet<>(
            Set.of(
                "get pods",
                "get nodes",
                "get namespaces",
                "patch pods/status",
                "get virtualmachines.kubevirt.io",
                "get virtualmachineinstances.kubevirt.io"));
    for (String resource :
        List.of(
            "blockaffinities",
            "ipamblocks",
            "ipamhandles",
            "clusterinformations",
            "ippools",
            "ipreservations",
            "ipamconfigs")) {
      for (String verb : List.of("get", "list", "create", "update", "delete")) {
        permissions.add("%s %s.crd.projectcalico.org".formatted(verb, resource));
      }
    }
    return permissions;
  }

  TestCluster cluster() {
    return cluster;
  }

  Path kubeconfig() {
    return kubeconfig;
  }

  String adminToken() {
    return ADMIN;
  }

  /** Writes the kubeconfig again, with this token. */
  void token(String token) {
    try {
      Files.writeString(
          kubeconfig,
          """
          apiVersion: v1
          kind: Config
          clusters: [{name: local, cluster: {server: "%s"}}]
          users: [{name: calico, user: {token: "%s"}}]
          contexts: [{name: calico-context, context: {cluster: local, user: calico}}]
          current-context: calico-context
          """
              .formatted(cluster.url(), token));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Without pods, and with a node. */
  void clear() {
    cluster.deletePods();
    cluster.node(NODE, Map.of(), List.of("10.10.0.0/24", "fd00:10::/96"));
    for (String namespace : List.of("default", "test", "shop")) {
      cluster.namespace(namespace, Map.of());
    }
  }

  void put(Pod pod) {
    ObjectNode manifest = PodManifest.write(pod);
    if (pod.node().isEmpty()) {
      manifest.withObject("/spec").put("nodeName", NODE);
    }
    cluster.pod(manifest);
  }

  boolean has(String namespace, String pod) {
    return cluster.pod(namespace, pod).isPresent();
  }

  /** What the plugin wrote to a pod, or "-". */
  String annotation(String namespace, String pod, String name) {
    JsonNode annotations =
        cluster.pod(namespace, pod).orElseThrow().path("metadata").path("annotations");
    return annotations.path("cni.projectcalico.org/" + name).asString("-");
  }

  @Override
  public void close() {
    cluster.close();
  }
}
