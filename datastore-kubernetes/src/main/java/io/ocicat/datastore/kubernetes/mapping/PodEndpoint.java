package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.datastore.model.Shapes;
import io.ocicat.datastore.model.WorkloadEndpointName;
import io.ocicat.datastore.model.WorkloadInterfaceName;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Converts a pod to its workload endpoint. */
public final class PodEndpoint {
  /** Whatever the runtime calls the interface, a pod has one and Calico calls it this. */
  public static final String INTERFACE = "eth0";

  private static final int MAX_LABEL = 63;
  private static final Set<String> FINISHED = Set.of("Failed", "Succeeded", "Completed");

  private PodEndpoint() {}

  /** Whether the pod has a network of its own and is scheduled to a node. */
  public static boolean isOne(ObjectNode pod) {
    JsonNode spec = pod.path("spec");
    return !spec.path("hostNetwork").asBoolean(false)
        && !JsonTrees.text(spec, "nodeName").isEmpty();
  }

  public static ResourceKey key(ObjectNode pod) {
    String namespace = JsonTrees.text(JsonTrees.metadata(pod), "namespace");
    String node = JsonTrees.text(pod.path("spec"), "nodeName");
    try {
      return ResourceKey.of(
          Kind.WORKLOAD_ENDPOINT,
          namespace,
          WorkloadEndpointName.ofPod(node, JsonTrees.name(pod), INTERFACE).text());
    } catch (IllegalArgumentException | InvalidException e) {
      throw corrupt(pod, e);
    }
  }

  private static CorruptException corrupt(ObjectNode pod, RuntimeException e) {
    return new CorruptException(
        "pod %s/%s is not a valid endpoint: %s"
            .formatted(
                JsonTrees.text(JsonTrees.metadata(pod), "namespace"),
                JsonTrees.name(pod),
                e.getMessage()),
        e);
  }

  /**
   * Returns the endpoint of a pod that is one.
   *
   * @throws CorruptException when its addresses or annotations cannot be read
   */
  public static Resource of(ObjectNode pod) {
    ResourceKey key = key(pod);
    ObjectNode document = Json.object();
    document.put("kind", key.kind().text()).put("apiVersion", Resource.API_VERSION);
    document.set("metadata", metadata(key, pod));
    try {
      document.set("spec", spec(pod));
    } catch (IllegalArgumentException e) {
      throw corrupt(pod, e);
    }
    return Resource.stored(key, Shapes.canonical(key.kind(), document), JsonTrees.revision(pod));
  }

  private static ObjectNode metadata(ResourceKey key, ObjectNode pod) {
    ObjectNode from = JsonTrees.metadata(pod);
    ObjectNode metadata = Json.object().put("name", key.name()).put("namespace", key.namespace());
    for (String same : List.of("generateName", "uid", "creationTimestamp", "deletionTimestamp")) {
      if (from.has(same)) {
        metadata.set(same, from.get(same));
      }
    }
    ObjectNode labels = metadata.putObject("labels");
    JsonTrees.texts(from, "labels").forEach(labels::put);
    labels.put("projectcalico.org/namespace", key.namespace());
    labels.put("projectcalico.org/orchestrator", WorkloadEndpointName.KUBERNETES);
    String account = serviceAccount(pod);
    if (!account.isEmpty() && account.length() < MAX_LABEL) {
      labels.put("projectcalico.org/serviceaccount", account);
    }
    String status = JsonTrees.annotation(pod, PodAnnotations.NETWORK_STATUS);
    if (!status.isEmpty()) {
      metadata.putObject("annotations").put(PodAnnotations.NETWORK_STATUS, status);
    }
    return metadata;
  }

  private static String serviceAccount(ObjectNode pod) {
    return JsonTrees.text(pod.path("spec"), "serviceAccountName");
  }

  private static ObjectNode spec(ObjectNode pod) {
    String namespace = JsonTrees.text(JsonTrees.metadata(pod), "namespace");
    String name = JsonTrees.name(pod);
    String account = serviceAccount(pod);
    ObjectNode spec = Json.object();
    spec.put("orchestrator", WorkloadEndpointName.KUBERNETES)
        .put("node", JsonTrees.text(pod.path("spec"), "nodeName"))
        .put("containerID", JsonTrees.annotation(pod, PodAnnotations.CONTAINER_ID))
        .put("pod", name)
        .put("endpoint", INTERFACE)
        .put("serviceAccountName", account)
        .put(
            "interfaceName",
            WorkloadInterfaceName.ofPod(WorkloadInterfaceName.PREFIX, namespace, name));
    List<IpPrefix> addresses = isFinished(pod) ? List.of() : addresses(pod);
    ArrayNode networks = spec.putArray("ipNetworks");
    addresses.forEach(address -> networks.add(address.toString()));
    ArrayNode profiles = spec.putArray("profiles").add(KubernetesProfiles.ofNamespace(namespace));
    if (!account.isEmpty()) {
      profiles.add(KubernetesProfiles.ofServiceAccount(namespace, account));
    }
    ports(spec, pod);
    PodAnnotations.floatingIps(spec, pod, addresses);
    PodAnnotations.sourcePrefixes(spec, pod);
    PodAnnotations.qosControls(spec, pod);
    return spec;
  }

  /** Its addresses may belong to another pod by now. */
  private static boolean isFinished(ObjectNode pod) {
    if (FINISHED.contains(JsonTrees.text(pod.path("status"), "phase"))) {
      return true;
    }
    JsonNode annotations = JsonTrees.metadata(pod).path("annotations");
    return JsonTrees.metadata(pod).has("deletionTimestamp")
        && (isEmptied(annotations.path(PodAnnotations.POD_IP))
            || isEmptied(annotations.path(PodAnnotations.AWS_IPS)));
  }

  private static boolean isEmptied(JsonNode annotation) {
    return annotation.isString() && annotation.stringValue().isEmpty();
  }

  /**
   * The first source that has any. What kubelet reports takes precedence over our own annotations.
   */
  private static List<IpPrefix> addresses(ObjectNode pod) {
    List<String> reported = new ArrayList<>();
    pod.path("status").path("podIPs").forEach(ip -> reported.add(JsonTrees.text(ip, "ip")));
    List<List<String>> sources =
        List.of(
            reported,
            List.of(JsonTrees.text(pod.path("status"), "podIP")),
            split(JsonTrees.annotation(pod, PodAnnotations.POD_IPS)),
            List.of(JsonTrees.annotation(pod, PodAnnotations.POD_IP)),
            split(JsonTrees.annotation(pod, PodAnnotations.AWS_IPS)));
    return sources.stream()
        .map(texts -> texts.stream().filter(text -> !text.isEmpty()).toList())
        .filter(texts -> !texts.isEmpty())
        .findFirst()
        .orElse(List.of())
        .stream()
        .map(PodEndpoint::host)
        .toList();
  }

  private static List<String> split(String text) {
    return Arrays.stream(text.split(",", -1)).map(String::strip).toList();
  }

  private static IpPrefix host(String text) {
    return IpAddress.tryParse(text)
        .or(() -> IpPrefix.tryParse(text).map(IpPrefix::address))
        .map(IpPrefix::host)
        .orElseThrow(
            () -> new IllegalArgumentException("\"%s\" is not an address".formatted(text)));
  }

  private static void ports(ObjectNode spec, ObjectNode pod) {
    for (String list : List.of("containers", "initContainers")) {
      for (JsonNode container : pod.path("spec").path(list)) {
        for (JsonNode port : container.path("ports")) {
          String protocol = JsonTrees.text(port, "protocol");
          boolean known = Set.of("", "TCP", "UDP", "SCTP").contains(protocol);
          int number = port.path("containerPort").asInt(0);
          int hostPort = port.path("hostPort").asInt(0);
          String name = JsonTrees.text(port, "name");
          if (known && number != 0 && (hostPort != 0 || !name.isEmpty())) {
            spec.withArray("/ports")
                .addObject()
                .put("name", name)
                .put("protocol", protocol.isEmpty() ? "TCP" : protocol)
                .put("port", number)
                .put("hostPort", hostPort)
                .put("hostIP", JsonTrees.text(port, "hostIP"));
          }
        }
      }
    }
  }
}
