package io.ocicat.sandbox.network;

import io.ocicat.base.json.Json;
import io.ocicat.cni.Capability;
import io.ocicat.ip.IpPrefix;
import io.ocicat.sandbox.PodBandwidth;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodPort;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Builds the capability arguments for plugins that declare them, as kubelet does. */
final class CapabilityArguments {
  private CapabilityArguments() {}

  /**
   * @param podCidrs the address ranges of the node's pods; empty when unknown
   * @param cgroupPath empty for none
   */
  static Map<String, JsonNode> of(PodConfig config, List<IpPrefix> podCidrs, String cgroupPath) {
    Map<String, JsonNode> arguments = new LinkedHashMap<>();
    ArrayNode ports = Json.array();
    config.ports().stream()
        .filter(PodPort::isPublished)
        .forEach(port -> ports.add(port.toCapability()));
    arguments.put(Capability.PORT_MAPPINGS, ports);
    PodBandwidth.of(config.annotations())
        .toCapability()
        .ifPresent(limits -> arguments.put(Capability.BANDWIDTH, limits));
    if (!podCidrs.isEmpty()) {
      ArrayNode ranges = Json.array();
      podCidrs.forEach(cidr -> ranges.addArray().addObject().put("subnet", cidr.toString()));
      arguments.put(Capability.IP_RANGES, ranges);
    }
    config
        .dnsConfig()
        .ifPresent(
            dns -> {
              ObjectNode json = Json.object();
              json.set("servers", Json.array(dns.servers()));
              json.set("searches", Json.array(dns.searches()));
              json.set("options", Json.array(dns.options()));
              arguments.put(Capability.DNS, json);
            });
    if (!config.annotations().isEmpty()) {
      ObjectNode annotations = Json.object();
      config.annotations().forEach(annotations::put);
      arguments.put(Capability.POD_ANNOTATIONS, annotations);
    }
    if (!cgroupPath.isEmpty()) {
      arguments.put(Capability.CGROUP_PATH, Json.array(List.of(cgroupPath)).get(0));
    }
    return arguments;
  }
}
