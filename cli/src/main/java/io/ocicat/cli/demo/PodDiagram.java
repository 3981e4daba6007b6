package io.ocicat.cli.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;

/**
 * Draws one pod, the veth pair, the node and what is outside, from the kernel's state.
 *
 * @param pod its addresses and routes
 * @param veth the pair's ends, the pod's first
 * @param node what the node has
 */
record PodDiagram(String name, List<String> pod, String veth, List<String> node) {
  private static final int BESIDE_TEXT = 4;
  private static final int LEAST = 40;

  PodDiagram {
    pod = List.copyOf(pod);
    node = List.copyOf(node);
  }

  /**
   * @param podLinks those of the pod, as {@link KernelJson} has them
   * @param podRoutes the pod's routes
   * @param links those of the node
   * @param routes the node's routes
   * @param owners names of the pods by their addresses
   * @param more what else to show of the node, such as ports that are published
   */
  static PodDiagram of(
      String name,
      JsonNode podLinks,
      JsonNode podRoutes,
      JsonNode links,
      JsonNode routes,
      Map<String, String> owners,
      List<String> more) {
    List<String> pod = new ArrayList<>();
    JsonNode eth0 = link(podLinks, "ifname", "eth0");
    pod.add("eth0   " + addresses(eth0));
    podRoutes.forEach(route -> pod.add("route  " + describe(route)));

    JsonNode end = link(links, "ifindex", eth0.path("link_index").asString(""));
    String hostEnd = end.path("ifname").asString("?");
    String bridge = end.path("master").asString("");
    List<String> node = new ArrayList<>();
    if (bridge.isEmpty()) {
      node.add("%s, which answers ARP for %s (proxy_arp)".formatted(hostEnd, gateway(podRoutes)));
    } else {
      node.add("%s, a port of the bridge %s".formatted(hostEnd, bridge));
      node.add("%s   %s".formatted(bridge, addresses(link(links, "ifname", bridge))));
    }
    for (JsonNode route : routes) {
      String to = route.path("dst").asString();
      String dev = route.path("dev").asString();
      if (owners.containsKey(to)) {
        node.add("route  %s (%s)".formatted(describe(route), owners.get(to)));
      } else if (dev.equals(bridge)) {
        node.add("route  " + describe(route));
      }
    }
    node.addAll(more);
    node.add("eth0   " + addresses(link(links, "ifname", "eth0")));
    return new PodDiagram(name, pod, "eth0 in the pod, %s on the node".formatted(hostEnd), node);
  }

  private static JsonNode link(JsonNode links, String member, String value) {
    return StreamSupport.stream(links.spliterator(), false)
        .filter(link -> link.path(member).asString("").equals(value))
        .findFirst()
        .orElse(links.path(-1));
  }

  private static String addresses(JsonNode link) {
    return StreamSupport.stream(link.path("addr_info").spliterator(), false)
        .filter(address -> address.path("scope").asString().equals("global"))
        .map(address -> address.path("local").asString() + "/" + address.path("prefixlen").asInt())
        .collect(Collectors.joining(" "));
  }

  private static String gateway(JsonNode routes) {
    return link(routes, "dst", "default").path("gateway").asString("?");
  }

  private static String describe(JsonNode route) {
    String gateway = route.path("gateway").asString("");
    return route.path("dst").asString()
        + (gateway.isEmpty() ? "" : " via " + gateway)
        + " dev "
        + route.path("dev").asString();
  }

  List<String> lines(String outside) {
    int inner =
        Stream.concat(pod.stream(), node.stream()).mapToInt(String::length).max().orElse(LEAST);
    int width = Math.max(inner, LEAST) + BESIDE_TEXT;
    List<String> lines = new ArrayList<>();
    lines.add(top("pod " + name, width, false));
    pod.forEach(line -> lines.add(row(line, width)));
    lines.add(bottom(width));
    lines.add("   │ veth pair: " + veth);
    lines.add(top("node-1, the host", width, true));
    node.forEach(line -> lines.add(row(line, width)));
    lines.add(bottom(width));
    lines.add("   │ the wire");
    lines.add("   └─ " + outside);
    return lines;
  }

  private static String top(String title, int width, boolean joined) {
    String start = joined ? "┌──┴─ " : "┌──── ";
    return start + title + " " + "─".repeat(width - start.length() - title.length() - 2) + "┐";
  }

  private static String bottom(int width) {
    return "└──┬" + "─".repeat(width - 5) + "┘";
  }

  private static String row(String text, int width) {
    return "│ " + text + " ".repeat(width - BESIDE_TEXT - text.length()) + " │";
  }
}
