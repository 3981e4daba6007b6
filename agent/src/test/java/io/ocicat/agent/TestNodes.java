package io.ocicat.agent;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.testkit.Host;

/** Nodes on one link, with a pod each, as start-up and the calico plugin leave them. */
final class TestNodes {
  private TestNodes() {}

  /** A node at 192.168.7.x and fd00:7::x, with a tunnel address in its own block. */
  static void addNode(TestCluster cluster, Host node, String name, int number) {
    node.exec("ip", "link", "set", "wire0", "name", "eth0");
    cluster.create(
        Kind.NODE,
        name,
        spec -> {
          spec.putObject("bgp")
              .put("ipv4Address", "192.168.7.%d/24".formatted(number))
              .put("ipv6Address", "fd00:7::%d/64".formatted(number));
          spec.put("ipv4VXLANTunnelAddr", "10.65.%d.0".formatted(number));
          spec.put("ipv6VXLANTunnelAddr", "fd00:65::%d:0".formatted(number));
        });
    cluster.block("10.65.%d.0/26".formatted(number), name);
    if (cluster.hasPool("v6")) {
      cluster.block("fd00:65::%d:0/122".formatted(number), name);
    }
  }

  /** A pod as the calico plugin attaches it. */
  static void addPod(TestCluster cluster, Host node, Host pod, String nodeName, int number) {
    node.exec(
        "ip", "link", "add", "cali1", "type", "veth", "peer", "name", "eth0", "netns", pod.name());
    node.exec("ip", "link", "set", "cali1", "address", "ee:ee:ee:ee:ee:ee", "up");
    String address = "10.65.%d.7".formatted(number);
    String address6 = "fd00:65::%d:7".formatted(number);
    pod.exec("ip", "link", "set", "eth0", "mtu", "1430", "up");
    pod.exec("ip", "address", "add", address, "dev", "eth0");
    pod.exec("ip", "-6", "address", "add", address6, "dev", "eth0", "nodad");
    pod.exec("ip", "route", "add", "169.254.1.1", "dev", "eth0", "scope", "link");
    pod.exec("ip", "route", "add", "default", "via", "169.254.1.1");
    pod.exec("ip", "neighbour", "add", "169.254.1.1", "lladdr", "ee:ee:ee:ee:ee:ee", "dev", "eth0");
    pod.exec(
        "ip", "-6", "route", "add", "default", "via", "fe80::ecee:eeff:feee:eeee", "dev", "eth0");
    node.exec("ip", "route", "add", address, "dev", "cali1", "scope", "link");
    String mac = pod.json("ip", "-j", "link", "show", "eth0").path(0).path("address").asString("");
    cluster.endpoint(
        nodeName,
        "pod" + number,
        "cali1",
        mac,
        spec ->
            spec.putArray("ipNATs")
                .addObject()
                .put("internalIP", address)
                .put("externalIP", "198.51.100." + number),
        address + "/32",
        address6 + "/128");
  }

  /** Whether one packet gets there and back. */
  static boolean reaches(Host from, String to, String... options) {
    String[] argv = new String[options.length + 5];
    argv[0] = "ping";
    argv[1] = "-c1";
    argv[2] = "-W1";
    argv[3] = "-q";
    System.arraycopy(options, 0, argv, 4, options.length);
    argv[argv.length - 1] = to;
    return from.tryExec(argv).succeeded();
  }
}
