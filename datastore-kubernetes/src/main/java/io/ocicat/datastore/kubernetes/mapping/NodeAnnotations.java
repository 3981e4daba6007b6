package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.datastore.model.Shapes;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Converts a Kubernetes node to a Calico node, and back to annotations. */
public final class NodeAnnotations {
  private static final String PREFIX = "projectcalico.org/";
  private static final String INTERFACES = PREFIX + "Interfaces";
  private static final String AS_NUMBER = PREFIX + "ASNumber";
  private static final String KUBE_LABELS = PREFIX + "kube-labels";

  /** Labels that only Calico has, as a JSON object. */
  private static final String LABELS = PREFIX + "labels";

  /** Where in the document the annotations' texts are. */
  private static final Map<String, String> TEXTS =
      Map.ofEntries(
          Map.entry("IPv4Address", "/spec/bgp/ipv4Address"),
          Map.entry("IPv6Address", "/spec/bgp/ipv6Address"),
          Map.entry("IPv4IPIPTunnelAddr", "/spec/bgp/ipv4IPIPTunnelAddr"),
          Map.entry("RouteReflectorClusterID", "/spec/bgp/routeReflectorClusterID"),
          Map.entry("IPv4VXLANTunnelAddr", "/spec/ipv4VXLANTunnelAddr"),
          Map.entry("VXLANTunnelMACAddr", "/spec/vxlanTunnelMACAddr"),
          Map.entry("IPv6VXLANTunnelAddr", "/spec/ipv6VXLANTunnelAddr"),
          Map.entry("VXLANTunnelMACAddrV6", "/spec/vxlanTunnelMACAddrV6"),
          Map.entry("IPv4WireguardInterfaceAddr", "/spec/wireguard/interfaceIPv4Address"),
          Map.entry("IPv6WireguardInterfaceAddr", "/spec/wireguard/interfaceIPv6Address"),
          Map.entry("WireguardPublicKey", "/status/wireguardPublicKey"),
          Map.entry("WireguardPublicKeyV6", "/status/wireguardPublicKeyV6"));

  private static final Set<String> ADDRESS_TYPES = Set.of("InternalIP", "ExternalIP");

  private NodeAnnotations() {}

  public static Resource read(ObjectNode node, boolean usePodCidr) {
    String name = JsonTrees.name(node);
    ObjectNode document =
        Json.object().put("kind", Kind.NODE.text()).put("apiVersion", Resource.API_VERSION);
    document.set("metadata", metadata(node));
    ObjectNode spec = document.putObject("spec");
    document.putObject("status");
    TEXTS.forEach(
        (annotation, at) -> {
          String text = JsonTrees.annotation(node, PREFIX + annotation);
          if (!text.isEmpty()) {
            put(document, at, text);
          }
        });
    String as = JsonTrees.annotation(node, AS_NUMBER);
    if (as.matches("\\d{1,10}")) {
      put(spec.withObject("/bgp"), Long.parseLong(as));
    } else if (!as.isEmpty()) {
      spec.withObject("/bgp").put("asNumber", as);
    }
    podCidrs(document, node, usePodCidr);
    spec.putArray("orchRefs").addObject().put("nodeName", name).put("orchestrator", "k8s");
    addresses(document, node);
    interfaces(spec, node);
    return Resource.stored(
        ResourceKey.of(Kind.NODE, name),
        Shapes.canonical(Kind.NODE, document),
        JsonTrees.revision(node));
  }

  /** As a parser would have read it: an int if it fits, so that equal documents are equal. */
  private static void put(ObjectNode bgp, long as) {
    if (as <= Integer.MAX_VALUE) {
      bgp.put("asNumber", (int) as);
    } else {
      bgp.put("asNumber", as);
    }
  }

  private static ObjectNode metadata(ObjectNode node) {
    ObjectNode metadata = JsonTrees.metadata(node).deepCopy();
    metadata.remove(List.of("managedFields", "resourceVersion", "selfLink", "finalizers"));
    Map<String, String> labels = new TreeMap<>(ownLabels(node));
    // As in Calico those of Kubernetes take precedence.
    labels.putAll(JsonTrees.texts(metadata, "labels"));
    if (!labels.isEmpty()) {
      labels.forEach(metadata.putObject("labels")::put);
    }
    if (metadata.get("annotations") instanceof ObjectNode annotations) {
      annotations.remove(TEXTS.keySet().stream().map(PREFIX::concat).toList());
      annotations.remove(List.of(INTERFACES, AS_NUMBER, KUBE_LABELS, LABELS));
    }
    return metadata;
  }

  private static void put(ObjectNode document, String pointer, String text) {
    int last = pointer.lastIndexOf('/');
    document.withObject(pointer.substring(0, last)).put(pointer.substring(last + 1), text);
  }

  /** With host-local IPAM the first address is the tunnel's. */
  private static void podCidrs(ObjectNode document, ObjectNode node, boolean usePodCidr) {
    List<String> cidrs = KubernetesCluster.podCidrs(node);
    cidrs.forEach(cidr -> document.withArray("/status/podCIDRs").add(cidr));
    Optional<IpPrefix> first =
        cidrs.stream().findFirst().flatMap(IpPrefix::tryParse).filter(IpPrefix::isV4);
    if (usePodCidr && first.isPresent()) {
      put(document, "/spec/bgp/ipv4IPIPTunnelAddr", first.get().first().next().toString());
    }
  }

  private static void addresses(ObjectNode document, ObjectNode node) {
    for (String own : List.of("ipv4Address", "ipv6Address")) {
      JsonNode address = document.at("/spec/bgp/" + own);
      if (address.isString()) {
        addAddress(document, address.stringValue(), "CalicoNodeIP");
      }
    }
    for (JsonNode address : node.path("status").path("addresses")) {
      if (ADDRESS_TYPES.contains(JsonTrees.text(address, "type"))) {
        addAddress(document, JsonTrees.text(address, "address"), JsonTrees.text(address, "type"));
      }
    }
  }

  private static void addAddress(ObjectNode document, String address, String type) {
    document.withArray("/spec/addresses").addObject().put("address", address).put("type", type);
  }

  private static void interfaces(ObjectNode spec, ObjectNode node) {
    String text = JsonTrees.annotation(node, INTERFACES);
    if (text.isEmpty()) {
      return;
    }
    try {
      spec.set("interfaces", StoredJson.parseObject("{\"list\":" + text + "}").path("list"));
    } catch (IllegalArgumentException _) {
      // Informational only.
    }
  }

  /** Returns the labels in the annotation; none when it cannot be read. */
  private static Map<String, String> ownLabels(ObjectNode node) {
    String text = JsonTrees.annotation(node, LABELS);
    if (text.isEmpty()) {
      return Map.of();
    }
    try {
      return JsonTrees.texts(Json.object().set("labels", StoredJson.parseObject(text)), "labels");
    } catch (IllegalArgumentException _) {
      return Map.of();
    }
  }

  /**
   * Whether the labels of Kubernetes are among these, unchanged: they cannot be changed from here.
   */
  public static boolean hasLabelsOf(ObjectNode node, Map<String, String> labels) {
    return labels
        .entrySet()
        .containsAll(JsonTrees.texts(JsonTrees.metadata(node), "labels").entrySet());
  }

  private static void writeLabels(ObjectNode document, ObjectNode node, ObjectNode annotations) {
    Map<String, String> own =
        new TreeMap<>(JsonTrees.texts((ObjectNode) document.path("metadata"), "labels"));
    own.keySet().removeAll(JsonTrees.texts(JsonTrees.metadata(node), "labels").keySet());
    ObjectNode json = Json.object();
    own.forEach(json::put);
    set(annotations, LABELS, own.isEmpty() ? "" : StoredJson.compact(json));
  }

  /** Writes a document to the annotations of a node; absent values are removed. */
  public static void write(ObjectNode document, ObjectNode node) {
    ObjectNode annotations = node.withObject("/metadata").withObject("/annotations");
    TEXTS.forEach(
        (annotation, at) -> set(annotations, PREFIX + annotation, document.at(at).asString("")));
    set(annotations, AS_NUMBER, document.at("/spec/bgp/asNumber").asString(""));
    JsonNode interfaces = document.at("/spec/interfaces");
    set(annotations, INTERFACES, interfaces.isEmpty() ? "" : StoredJson.compact(interfaces));
    writeLabels(document, node, annotations);
    document
        .at("/metadata/annotations")
        .forEachEntry((name, value) -> annotations.put(name, value.asString("")));
  }

  private static void set(ObjectNode annotations, String name, String value) {
    if (value.isEmpty()) {
      annotations.remove(name);
    } else {
      annotations.put(name, value);
    }
  }
}
