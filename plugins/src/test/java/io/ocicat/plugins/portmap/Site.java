package io.ocicat.plugins.portmap;

import io.ocicat.netlink.ns.NetNs;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Udp;
import io.ocicat.testkit.VethLink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * A node with a bridge and pods on it, and a client outside:
 *
 * <pre>
 * client 10.2.0.2 ── 10.2.0.1 node 10.1.0.1 ── cni0 ── web 10.1.0.2
 *        fd02::2     fd02::1       fd01::1         └── db  10.1.0.3
 * </pre>
 *
 * <p>Made with ip(8), as other plugins would have made it.
 */
record Site(Host node, Pod web, Pod db) {
  static final String NODE = "10.2.0.1";
  static final String NODE6 = "fd02::1";
  static final String GATEWAY = "10.1.0.1";
  static final String CLIENT = "10.2.0.2";

  /** A container's namespace, and the last digit of its addresses. */
  record Pod(String netns, int number) {
    static Pod of(Host host, int number) {
      return new Pod(host.path().toString(), number);
    }

    /** A pod that no packet will ever be sent to. */
    static Pod onPaper(int number) {
      return new Pod("/run/netns/pod" + number, number);
    }

    String v4() {
      return "10.1.0." + number;
    }

    String v6() {
      return "fd01::" + number;
    }

    /** The result of the plugins before portmap. */
    String result(String version) {
      String versions = version.startsWith("0") ? "\"version\":\"%d\"," : "";
      return """
          {"cniVersion":"%s",
           "interfaces":[{"name":"cni0"},{"name":"eth0","sandbox":"%s"}],
           "ips":[{%s"interface":1,"address":"%s/24"},{%s"interface":1,"address":"%s/64"}]}"""
          .formatted(version, netns, versions.formatted(4), v4(), versions.formatted(6), v6());
    }
  }

  static Udp udp(Host host, String address, int port) {
    try (NetNs namespace = NetNs.open(host.path())) {
      return Udp.bind(namespace::visit, address, port);
    }
  }

  /** The node alone: enough for tests without packets. */
  static Site onPaper(Host node) {
    bridge(node);
    ip(
        node,
        """
        link add wire0 type veth peer name wire1
        link set wire1 up
        link set wire0 up
        """);
    return new Site(node, Pod.onPaper(2), Pod.onPaper(3));
  }

  static Site build(Host node, Host web, Host db, Host client) {
    for (Host host : List.of(node, web, db, client)) {
      // Neighbours are resolved only once the link-local address is known to be unique.
      host.exec("sysctl", "-qw", "net.ipv6.conf.default.accept_dad=0");
    }
    bridge(node);
    Site site = new Site(node, Pod.of(web, 2), Pod.of(db, 3));
    site.plug(site.web, web);
    site.plug(site.db, db);
    VethLink wire = node.connect(client, NODE + "/24", CLIENT + "/24");
    ip(node, "address add %s/64 dev %s nodad".formatted(NODE6, wire.device()));
    ip(
        client,
        """
        address add fd02::2/64 dev %s nodad
        route add default via 10.2.0.1
        route add default via fd02::1
        """
            .formatted(wire.otherDevice()));
    node.exec("sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1");
    return site;
  }

  private static void bridge(Host node) {
    ip(
        node,
        """
        link add cni0 type bridge forward_delay 0
        link set cni0 up
        address add 10.1.0.1/24 dev cni0
        address add fd01::1/64 dev cni0 nodad
        """);
  }

  private void plug(Pod pod, Host host) {
    String port = "veth" + pod.number();
    ip(
        node,
        """
        link add %1$s type veth peer name eth0 netns %2$s
        link set %1$s master cni0 up
        link set %1$s type bridge_slave hairpin on
        """
            .formatted(port, host.name()));
    ip(
        host,
        """
        address add %s/24 dev eth0
        address add %s/64 dev eth0 nodad
        link set eth0 up
        route add default via 10.1.0.1
        route add default via fd01::1
        """
            .formatted(pod.v4(), pod.v6()));
  }

  /** Whether bridged packets pass the IP rules as well, as Kubernetes requires. */
  void filterBridge(boolean on) {
    String value = on ? "1" : "0";
    node.exec(
        "sysctl",
        "-qw",
        "net.bridge.bridge-nf-call-iptables=" + value,
        "net.bridge.bridge-nf-call-ip6tables=" + value);
  }

  /** Turns connection tracking on now; otherwise it begins with the first mapping. */
  void track() {
    node.command("nft", "-f", "-")
        .stdin(
            "table inet track { chain in { type filter hook prerouting priority 0; ct state new accept; }; }")
        .run();
  }

  static void ip(Host host, String commands) {
    host.command("ip", "-batch", "-").stdin(commands).run();
  }

  /**
   * An attachment of a pod to network {@code net} with portmap.
   *
   * @param mappings in short: {@code 8080:80}, {@code 10.2.0.1/5353:53/udp}, {@code [::]/80:80}
   */
  Attaching portmap(Pod pod, String options, String... mappings) {
    return attaching(pod, config("1.1.0", pod, options, mappings));
  }

  Attaching attaching(Pod pod, String config) {
    return new Attaching(Side.OURS, "portmap", node, pod.netns(), config, Map.of())
        .with("CNI_CONTAINERID", "pod" + pod.number())
        .with("CNI_IFNAME", "eth0");
  }

  /** All elements of the sets and maps of our table, each with its set's name. */
  List<String> elements() {
    List<String> elements = new ArrayList<>();
    for (JsonNode object : node.json("nft", "-j", "list", "ruleset").path("nftables")) {
      JsonNode set = object.has("map") ? object.path("map") : object.path("set");
      for (JsonNode element : set.path("elem")) {
        elements.add(set.path("name").asString() + " " + element);
      }
    }
    return elements;
  }

  static String config(String version, Pod pod, String options, String... mappings) {
    return """
        {"cniVersion":"%s","name":"net","type":"portmap",%s"runtimeConfig":{"portMappings":[%s]},
         "prevResult":%s}"""
        .formatted(
            version,
            options.isEmpty() ? "" : options + ",",
            String.join(",", Arrays.stream(mappings).map(Site::mapping).toList()),
            pod.result(version));
  }

  private static String mapping(String text) {
    int slash = text.indexOf('/');
    boolean hasIp = slash >= 0 && slash < text.lastIndexOf(':') && !text.startsWith("/");
    String ip = hasIp ? text.substring(0, slash).replaceAll("[\\[\\]]", "") : "";
    String rest = hasIp ? text.substring(slash + 1) : text;
    String[] portsAndProtocol = rest.split("/", -1);
    String[] ports = portsAndProtocol[0].split(":", -1);
    return "{\"hostPort\":%s,\"containerPort\":%s,\"protocol\":\"%s\",\"hostIP\":\"%s\"}"
        .formatted(
            ports[0], ports[1], portsAndProtocol.length > 1 ? portsAndProtocol[1] : "tcp", ip);
  }
}
