package io.ocicat.plugins.calico;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.model.WorkloadEndpointName;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes an attachment into the document of its WorkloadEndpoint. Unknown members stay as they are.
 */
record EndpointDocument(
    WorkloadIdentity identity,
    String endpoint,
    Workload workload,
    Annotations wanted,
    List<IpAddress> addresses,
    String interfaceName,
    String mac) {
  EndpointDocument {
    addresses = List.copyOf(addresses);
  }

  /**
   * Writes all members.
   *
   * @throws CniException when a requested floating address has no address to map to
   */
  void onto(ObjectNode document) {
    ObjectNode metadata = object(document, "metadata");
    putOrRemove(metadata, "generateName", workload.generateName());
    metadata.set("labels", texts(workload.labels()));
    ObjectNode spec = object(document, "spec");
    spec.put("orchestrator", identity.orchestrator());
    spec.put("node", identity.node());
    spec.put("containerID", identity.containerId());
    putOrRemove(spec, "pod", identity.pod());
    spec.put("endpoint", endpoint);
    putOrRemove(spec, "serviceAccountName", workload.serviceAccount());
    ArrayNode networks = spec.putArray("ipNetworks");
    addresses.forEach(address -> networks.add(IpPrefix.host(address).toString()));
    ArrayNode nats = spec.putArray("ipNATs");
    wanted.floatingIps().forEach(floating -> nat(nats.addObject(), floating));
    ArrayNode profiles = spec.putArray("profiles");
    workload.profiles().forEach(profiles::add);
    spec.put("interfaceName", interfaceName);
    spec.put("mac", mac);
    ArrayNode ports = spec.putArray("ports");
    workload.ports().forEach(port -> port(ports.addObject(), port));
    ArrayNode prefixes = spec.putArray("allowSpoofedSourcePrefixes");
    wanted.allowedSourcePrefixes().forEach(prefix -> prefixes.add(prefix.toString()));
  }

  private void nat(ObjectNode nat, IpAddress floating) {
    IpAddress own =
        addresses.stream()
            .filter(address -> address.isV4() == floating.isV4())
            .findFirst()
            .orElseThrow(
                () ->
                    Annotations.refuse(
                        "floatingIPs",
                        "holds %s, but the pod has no %s address"
                            .formatted(floating, floating.isV4() ? "IPv4" : "IPv6")));
    nat.put("internalIP", own.toString()).put("externalIP", floating.toString());
  }

  private static void port(ObjectNode json, Pod.Port port) {
    json.put("name", port.name())
        .put("protocol", port.protocol())
        .put("port", port.port())
        .put("hostPort", port.hostPort())
        .put("hostIP", port.hostIp());
  }

  private static ObjectNode object(ObjectNode parent, String name) {
    return parent.get(name) instanceof ObjectNode present ? present : parent.putObject(name);
  }

  private static ObjectNode texts(Map<String, String> values) {
    ObjectNode json = Json.object();
    new TreeMap<>(values).forEach(json::put);
    return json;
  }

  private static void putOrRemove(ObjectNode object, String name, String value) {
    if (value.isEmpty()) {
      object.remove(name);
    } else {
      object.put(name, value);
    }
  }

  /** The interface name that an endpoint's name contains. */
  static String endpointOf(String name, String fallback) {
    return WorkloadEndpointName.parse(name).map(WorkloadEndpointName::endpoint).orElse(fallback);
  }
}
