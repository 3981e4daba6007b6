package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.base.yaml.YamlReader;
import io.ocicat.base.yaml.YamlSyntaxException;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.cluster.ClusterSecrets;
import io.ocicat.datastore.cluster.NodeConditions;
import io.ocicat.datastore.cluster.OwnerReference;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.cluster.PodManifest;
import io.ocicat.datastore.cluster.PodNamespace;
import io.ocicat.datastore.cluster.PodNode;
import io.ocicat.datastore.cluster.VirtualMachine;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.kubernetes.client.ApiCall;
import io.ocicat.datastore.kubernetes.client.ApiClient;
import io.ocicat.datastore.kubernetes.client.ApiPath;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Pods, namespaces, nodes and virtual machines in the Kubernetes API. */
public final class KubernetesCluster implements Cluster {
  public static final ApiPath PODS = ApiPath.core("pods");
  public static final ApiPath NAMESPACES = ApiPath.core("namespaces");
  public static final ApiPath NODES = ApiPath.core("nodes");
  private static final ApiPath CONFIG_MAPS = ApiPath.core("configmaps");
  private static final ApiPath MACHINES =
      new ApiPath("kubevirt.io", "v1", "virtualmachines", "", "", "");
  private static final ApiPath INSTANCES =
      new ApiPath("kubevirt.io", "v1", "virtualmachineinstances", "", "", "");

  private final ApiClient api;

  public KubernetesCluster(ApiClient api) {
    this.api = api;
  }

  @Override
  public boolean isKubernetes() {
    return true;
  }

  @Override
  public Optional<Pod> pod(String namespace, String name) {
    String subject = "pod %s/%s".formatted(namespace, name);
    return find(PODS.in(namespace).named(name), subject).map(found -> read(subject, found));
  }

  private static Pod read(String subject, ObjectNode found) {
    Pod pod;
    try {
      pod = PodManifest.read(found);
    } catch (IllegalArgumentException e) {
      throw new CorruptException("%s cannot be read: %s".formatted(subject, e.getMessage()), e);
    }
    try {
      return PodEndpoint.isOne(found) ? pod.as(PodEndpoint.of(found)) : pod;
    } catch (CorruptException _) {
      return pod;
    }
  }

  @Override
  public Optional<PodNamespace> namespace(String name) {
    return find(NAMESPACES.named(name), "namespace " + name)
        .map(
            found ->
                new PodNamespace(
                    name,
                    JsonTrees.texts(JsonTrees.metadata(found), "labels"),
                    JsonTrees.texts(JsonTrees.metadata(found), "annotations")));
  }

  @Override
  public Optional<PodNode> node(String name) {
    return find(NODES.named(name), "node " + name)
        .map(
            found ->
                new PodNode(
                    name,
                    JsonTrees.texts(JsonTrees.metadata(found), "labels"),
                    JsonTrees.texts(JsonTrees.metadata(found), "annotations"),
                    podCidrs(found)));
  }

  public static List<String> podCidrs(ObjectNode node) {
    JsonNode spec = node.path("spec");
    List<String> cidrs = new ArrayList<>();
    spec.path("podCIDRs").forEach(cidr -> cidrs.add(cidr.asString("")));
    String first = JsonTrees.text(spec, "podCIDR");
    return cidrs.isEmpty() && !first.isEmpty() ? List.of(first) : cidrs;
  }

  /** As kubeadm recorded it: for two families both ranges, with a comma between. */
  @Override
  public List<String> podSubnets() {
    try {
      return find(CONFIG_MAPS.in("kube-system").named("kubeadm-config"), "kubeadm's configuration")
          .map(found -> JsonTrees.text(found.path("data"), "ClusterConfiguration"))
          .map(KubernetesCluster::podSubnets)
          .orElse(List.of());
    } catch (UnauthorizedException _) {
      // Most clusters do not permit it, and most were not set up by kubeadm.
      return List.of();
    }
  }

  private static List<String> podSubnets(String configuration) {
    try {
      String subnets = YamlReader.readTexts(configuration).at("/networking/podSubnet").asString("");
      return Stream.of(subnets.split(","))
          .map(String::strip)
          .filter(text -> !text.isEmpty())
          .toList();
    } catch (YamlSyntaxException _) {
      return List.of();
    }
  }

  @Override
  public Optional<NodeConditions> nodeConditions() {
    return Optional.of(new KubernetesNodeConditions(api));
  }

  @Override
  public Optional<ClusterSecrets> secrets() {
    return Optional.of(new KubernetesSecrets(api));
  }

  @Override
  public Optional<VirtualMachine> virtualMachine(String namespace, String name) {
    return machine(MACHINES, VirtualMachine.KIND, namespace, name);
  }

  @Override
  public Optional<VirtualMachine> virtualMachineInstance(String namespace, String name) {
    return machine(INSTANCES, VirtualMachine.INSTANCE_KIND, namespace, name);
  }

  private Optional<VirtualMachine> machine(
      ApiPath collection, String kind, String namespace, String name) {
    return find(collection.in(namespace).named(name), "%s %s/%s".formatted(kind, namespace, name))
        .map(
            found -> {
              ObjectNode metadata = JsonTrees.metadata(found);
              return new VirtualMachine(
                  namespace,
                  name,
                  JsonTrees.text(metadata, "uid"),
                  !JsonTrees.text(metadata, "deletionTimestamp").isEmpty(),
                  OwnerReference.allOf(metadata));
            });
  }

  private Optional<ObjectNode> find(ApiPath path, String subject) {
    try {
      return Optional.of(api.call(ApiCall.get(path, subject)));
    } catch (NotFoundException _) {
      return Optional.empty();
    }
  }
}
