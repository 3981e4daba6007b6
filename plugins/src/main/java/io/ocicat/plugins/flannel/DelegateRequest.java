package io.ocicat.plugins.flannel;

import io.ocicat.base.json.Json;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Route;
import io.ocicat.ip.IpPrefix;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Builds the delegate's configuration from the user's {@code delegate} member and flanneld's subnet
 * file. The user's settings take precedence, except for the name and the addresses. Keys are
 * sorted, except those of routes, because the Go plugin writes its scratch files that way.
 */
final class DelegateRequest {
  private DelegateRequest() {}

  static PluginConfig of(PluginConfig own, FlannelConf conf, SubnetEnv env) {
    ObjectNode delegate = conf.delegate().deepCopy();
    delegate.put("name", own.name());
    delegate.putIfAbsent("type", delegate.stringNode("bridge"));
    // Exactly one of the two must masquerade.
    delegate.putIfAbsent("ipMasq", delegate.booleanNode(!env.ipMasq()));
    delegate.putIfAbsent("mtu", delegate.numberNode(env.mtu()));
    if (delegate.path("type").asString().equals("bridge")) {
      delegate.putIfAbsent("isGateway", delegate.booleanNode(true));
    }
    if (!own.cniVersion().isEmpty()) {
      delegate.put("cniVersion", own.cniVersion());
    }
    if (conf.runtimeConfig() != null) {
      delegate.set("runtimeConfig", conf.runtimeConfig());
    }
    delegate.putObject("ipam");
    ObjectNode request = sorted(delegate);
    request.set("ipam", ipam(conf, env));
    return PluginConfig.of(request);
  }

  private static ObjectNode ipam(FlannelConf conf, SubnetEnv env) {
    ObjectNode merged = conf.ipam().deepCopy();
    merged.putIfAbsent("type", merged.stringNode("host-local"));
    ArrayNode ranges = merged.putArray("ranges");
    for (IpPrefix subnet : env.subnets()) {
      ranges.addArray().addObject().put("subnet", subnet.toString());
    }
    merged.putArray("routes");
    ObjectNode ipam = sorted(merged);
    ArrayNode routes = ipam.putArray("routes");
    conf.routes().forEach(route -> routes.add(route.toJson()));
    env.networks().forEach(network -> routes.add(Route.to(network).toJson()));
    return ipam;
  }

  private static ObjectNode sorted(ObjectNode object) {
    Map<String, JsonNode> byName = new TreeMap<>();
    object.forEachEntry((name, value) -> byName.put(name, sortedValue(value)));
    ObjectNode sorted = Json.object();
    byName.forEach(sorted::set);
    return sorted;
  }

  private static JsonNode sortedValue(JsonNode value) {
    if (value instanceof ObjectNode object) {
      return sorted(object);
    }
    if (value instanceof ArrayNode array) {
      ArrayNode sorted = Json.array();
      array.forEach(item -> sorted.add(sortedValue(item)));
      return sorted;
    }
    return value;
  }
}
