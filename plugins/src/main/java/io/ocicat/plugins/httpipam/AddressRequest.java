package io.ocicat.plugins.httpipam;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.CniArgs;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The body of an ADD's request to the server. */
final class AddressRequest {
  private static final Set<String> KNOWN_ARGS =
      Set.of(
          "IP", "K8S_POD_NAMESPACE", "K8S_POD_NAME", "K8S_POD_UID", "K8S_POD_INFRA_CONTAINER_ID");

  private AddressRequest() {}

  static ObjectNode of(AddCall call, HttpIpamConf conf) {
    CniArgs args = call.args();
    args.refuseUnknown(KNOWN_ARGS);
    ObjectNode request =
        Json.object()
            .put("network", call.network().value())
            .put("containerId", call.containerId().value())
            .put("ifName", call.ifName().value())
            .put("node", conf.node());
    if (conf.pool() != null) {
      request.put("pool", conf.pool());
    }
    if (!conf.families().isEmpty()) {
      request.set("families", Json.array(conf.families()));
    }
    ArrayNode ips = request.putArray("requestedIPs");
    requestedIps(call, args).forEach(ip -> ips.add(ip.toString()));
    request.put("leaseSeconds", conf.leaseSeconds());
    ObjectNode pod = request.putObject("pod");
    args.get("K8S_POD_NAMESPACE").ifPresent(value -> pod.put("namespace", value));
    args.get("K8S_POD_NAME").ifPresent(value -> pod.put("name", value));
    args.get("K8S_POD_UID").ifPresent(value -> pod.put("uid", value));
    return request;
  }

  /** From the three places that host-local reads. */
  private static Set<IpAddress> requestedIps(AddCall call, CniArgs args) {
    Set<IpAddress> ips = new LinkedHashSet<>();
    Optional<IpAddress> arg = args.get("IP", AddressRequest::address);
    arg.ifPresent(ips::add);
    call.config()
        .read(
            in -> {
              add(in.object("args").object("cni"), ips);
              add(in.object("runtimeConfig"), ips);
              return ips;
            });
    return ips;
  }

  private static void add(JsonFields in, Set<IpAddress> ips) {
    for (JsonValue item : in.value("ips").items()) {
      ips.add(item.text().map(AddressRequest::address, IpAddress.ofV4(0)).required());
    }
  }

  /** The server knows the prefix length. */
  private static IpAddress address(String text) {
    IpAddress address = text.contains("/") ? IpPrefix.parse(text).address() : IpAddress.parse(text);
    return address.unmap();
  }
}
