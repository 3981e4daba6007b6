package io.ocicat.plugins.calico;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The request to host-local: {@code usePodCidr} and {@code usePodCidrIPv6} are replaced by the
 * node's ranges, and its routes become the container's.
 *
 * @param routes empty when none are configured
 */
record HostLocalRequest(PluginConfig request, List<IpPrefix> routes) {
  private static final String V4 = "usepodcidr";
  private static final String V6 = "usepodcidripv6";

  HostLocalRequest {
    routes = List.copyOf(routes);
  }

  /**
   * The request for ADD.
   *
   * @param podCidrs called only when needed
   * @throws CniException when the node has no such range, or a member is invalid
   */
  static HostLocalRequest of(PluginConfig config, Supplier<PodCidrs> podCidrs) {
    List<IpPrefix> routes =
        config.read(
            in -> {
              JsonFields ipam = in.object("ipam");
              ipam.value("ranges").items().forEach(set -> set.items());
              List<IpPrefix> found = new ArrayList<>();
              for (JsonFields route : ipam.objects("routes")) {
                route.prefix("dst").optional().map(IpPrefix::network).ifPresent(found::add);
              }
              return found;
            });
    return new HostLocalRequest(
        with(config, name -> (name.equals(V4) ? podCidrs.get().v4() : podCidrs.get().v6())),
        routes);
  }

  /**
   * The request for verbs that allocate nothing: host-local requires ranges but does not use them.
   * The node's ranges are left out, so that they overlap with no other; if none remain, one of each
   * family serves as a placeholder.
   */
  static PluginConfig withoutRanges(PluginConfig config) {
    ObjectNode json = config.json();
    if (!(json.get("ipam") instanceof ObjectNode ipam)) {
      return config;
    }
    Set<String> named = new TreeSet<>();
    if (isOfNode(ipam)) {
      named.add(nameOf(ipam));
      ipam.remove("subnet");
    }
    boolean hasOthers = ipam.has("subnet") || !json.at("/runtimeConfig/ipRanges").isEmpty();
    if (ipam.get("ranges") instanceof ArrayNode sets) {
      hasOthers |= leaveOut(sets, named);
    }
    if (named.isEmpty()) {
      return config;
    }
    if (!hasOthers) {
      ArrayNode sets = ipam.putArray("ranges");
      named.forEach(
          name ->
              sets.addArray().addObject().put("subnet", name.equals(V4) ? "0.0.0.0/0" : "::/0"));
    }
    return PluginConfig.ofRequest(json);
  }

  /** Whether any ranges remain. */
  private static boolean leaveOut(ArrayNode sets, Set<String> named) {
    for (JsonNode set : sets.values()) {
      if (set instanceof ArrayNode ranges) {
        ranges.values().stream()
            .filter(HostLocalRequest::isOfNode)
            .forEach(range -> named.add(nameOf(range)));
        ranges.removeIf(HostLocalRequest::isOfNode);
      }
    }
    if (!named.isEmpty()) {
      sets.removeIf(set -> set.isArray() && set.isEmpty());
    }
    return !sets.isEmpty();
  }

  private static boolean isOfNode(JsonNode range) {
    String subnet = nameOf(range);
    return subnet.equals(V4) || subnet.equals(V6);
  }

  private static String nameOf(JsonNode range) {
    return range.path("subnet").asString("").toLowerCase(Locale.ROOT);
  }

  private static PluginConfig with(PluginConfig config, UnaryOperator<String> meaning) {
    ObjectNode json = config.json();
    if (!(json.get("ipam") instanceof ObjectNode ipam)) {
      return config;
    }
    boolean changed = replace(ipam, meaning);
    for (JsonNode set : ipam.path("ranges").values()) {
      for (JsonNode range : set.values()) {
        changed |= range instanceof ObjectNode object && replace(object, meaning);
      }
    }
    return changed ? PluginConfig.ofRequest(json) : config;
  }

  private static boolean replace(ObjectNode range, UnaryOperator<String> meaning) {
    if (!isOfNode(range)) {
      return false;
    }
    range.put("subnet", meaning.apply(nameOf(range)));
    return true;
  }

  /** The ranges that a node's pods get their addresses from; empty ones are missing. */
  record PodCidrs(String node, String first4, String first6) {
    static PodCidrs of(String node, List<String> cidrs) {
      if (cidrs.isEmpty()) {
        throw new CniException(
            ErrorCode.INTERNAL,
            "no podCidr for node %s".formatted(node),
            "on Kubernetes let kube-controller-manager allocate spec.podCIDRs; elsewhere set"
                + " OCICAT_CLUSTER_CIDR for the node's agent, or status.podCIDRs of the Node; or"
                + " name the subnet itself in ipam");
      }
      String v4 = "";
      String v6 = "";
      for (String cidr : cidrs) {
        boolean six = cidr.contains(":");
        if (!(six ? v6 : v4).isEmpty()) {
          throw new CniException(
              ErrorCode.INTERNAL,
              "ClusterCIDR contains two ranges of the same type: node %s has %s"
                  .formatted(node, String.join(", ", cidrs)));
        }
        if (six) {
          v6 = cidr;
        } else {
          v4 = cidr;
        }
      }
      return new PodCidrs(node, v4, v6);
    }

    String v4() {
      return require(first4, "IPv4");
    }

    String v6() {
      return require(first6, "IPv6");
    }

    private String require(String cidr, String family) {
      if (cidr.isEmpty()) {
        throw new CniException(
            ErrorCode.INTERNAL,
            "podCidrs of node %s found but there is no %s CIDR configured".formatted(node, family));
      }
      return cidr;
    }
  }
}
