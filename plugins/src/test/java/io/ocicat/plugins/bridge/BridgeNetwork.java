package io.ocicat.plugins.bridge;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Builds the configuration of a test network on a host. Immutable.
 *
 * <pre>{@code
 * BridgeNetwork.on(host).addresses(leases, "10.1.2.0/24").with("isGateway", true).attach(pod)
 * }</pre>
 */
record BridgeNetwork(Host host, String json) {
  static final String BRIDGE = "br0";
  static final String NAME = "blue";

  /** Layer 2 only, in the newest version. */
  static BridgeNetwork on(Host host) {
    ObjectNode config =
        Json.object()
            .put("cniVersion", "1.1.0")
            .put("name", NAME)
            .put("type", "bridge")
            .put("bridge", BRIDGE);
    return new BridgeNetwork(host, Json.compact(config));
  }

  BridgeNetwork version(String version) {
    return with("cniVersion", CniJson.parse("\"" + version + "\""));
  }

  BridgeNetwork with(String option, boolean value) {
    return with(option, CniJson.parse(Boolean.toString(value)));
  }

  BridgeNetwork with(String option, int value) {
    return with(option, CniJson.parse(Integer.toString(value)));
  }

  BridgeNetwork with(String option, JsonNode value) {
    ObjectNode config = (ObjectNode) CniJson.parse(json);
    config.set(option, value);
    return new BridgeNetwork(host, Json.compact(config));
  }

  BridgeNetwork without(String option) {
    ObjectNode config = (ObjectNode) CniJson.parse(json);
    config.remove(option);
    return new BridgeNetwork(host, Json.compact(config));
  }

  /** Addresses from host-local, one of each subnet. */
  BridgeNetwork addresses(Path leases, String... subnets) {
    ArrayNode ranges = Json.array(List.of());
    for (String subnet : subnets) {
      ranges.addArray().addObject().put("subnet", subnet);
    }
    ObjectNode ipam = Json.object().put("type", "host-local").put("dataDir", leases.toString());
    ipam.set("ranges", ranges);
    return with("ipam", ipam);
  }

  /** One more route for the containers. */
  BridgeNetwork route(String json) {
    ObjectNode ipam = (ObjectNode) CniJson.parse(this.json).path("ipam");
    ArrayNode routes =
        ipam.has("routes") ? (ArrayNode) ipam.get("routes") : ipam.putArray("routes");
    routes.add(CniJson.parse(json));
    return with("ipam", ipam);
  }

  /** As CHECK and DEL get it. */
  BridgeNetwork after(JsonNode result) {
    return with("prevResult", result);
  }

  Attaching attach(Host container) {
    return Attaching.of("bridge", host, container, json);
  }
}
