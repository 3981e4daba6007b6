package io.ocicat.cli.demo;

import io.ocicat.base.json.Json;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.RouteType;
import io.ocicat.netlink.route.Routes;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Prints links with their addresses, and IPv4 routes, in the format of {@code ip -j address} and
 * {@code ip -j route}: the demo needs no program that the build does not need.
 */
final class KernelJson {
  private KernelJson() {}

  /** Of this process's namespace and another one. */
  static ObjectNode ofNodeAnd(Path pod) {
    ObjectNode json = Json.object();
    try (NetlinkSocket node = NetlinkSocket.open(Protocol.ROUTE);
        NetNs netns = NetNs.open(pod);
        NetlinkSocket inPod = NetlinkSocket.open(Protocol.ROUTE, netns)) {
      json.set("node", of(node));
      json.set("pod", of(inPod));
    }
    return json;
  }

  private static ObjectNode of(NetlinkSocket socket) {
    Map<Integer, String> names = new HashMap<>();
    Map<Integer, ObjectNode> byIndex = new HashMap<>();
    ObjectNode json = Json.object();
    ArrayNode links = json.putArray("links");
    for (Link link : socket.list(Links.all())) {
      names.put(link.index(), link.name());
      ObjectNode entry =
          links
              .addObject()
              .put("ifindex", Integer.toString(link.index()))
              .put("ifname", link.name())
              .put("link_index", Integer.toString(link.peer()));
      entry.putArray("addr_info");
      byIndex.put(link.index(), entry);
    }
    for (Link link : socket.list(Links.all())) {
      if (link.master() != 0 && byIndex.containsKey(link.index())) {
        byIndex.get(link.index()).put("master", names.getOrDefault(link.master(), "?"));
      }
    }
    for (Address address : socket.list(Addresses.list())) {
      ObjectNode link = byIndex.get(address.device().index());
      if (link != null) {
        link.withArray("addr_info")
            .addObject()
            .put("local", address.prefix().address().toString())
            .put("prefixlen", address.prefix().length())
            .put("scope", address.scope().toString());
      }
    }
    ArrayNode routes = json.putArray("routes");
    for (Route route : socket.list(Routes.list(RouteFilter.main(IpFamily.V4)))) {
      ObjectNode entry = routes.addObject().put("dst", destination(route));
      if (!route.type().equals(RouteType.UNICAST)) {
        entry.put("type", route.type().toString());
      }
      route.gateway().ifPresent(gateway -> entry.put("gateway", gateway.toString()));
      route.device().ifPresent(device -> entry.put("dev", names.getOrDefault(device.index(), "?")));
    }
    return json;
  }

  private static String destination(Route route) {
    int length = route.destination().length();
    return length == 0
        ? "default"
        : length == 32 ? route.destination().address().toString() : route.destination().toString();
  }
}
