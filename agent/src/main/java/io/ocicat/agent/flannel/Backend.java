package io.ocicat.agent.flannel;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.JsonFields;
import io.ocicat.netlink.IpFamily;
import java.util.Locale;

/** How packets travel to other nodes, from {@code Backend} of the network configuration. */
sealed interface Backend {
  /** As leases name it. */
  String type();

  /** What a packet of a pod may have, given the external interface's MTU. */
  int podMtu(int externalMtu);

  /** By routes through the nodes' own network. */
  record HostGw() implements Backend {
    @Override
    public String type() {
      return "host-gw";
    }

    @Override
    public int podMtu(int externalMtu) {
      return externalMtu;
    }
  }

  /**
   * In VXLAN packets.
   *
   * @param port 0 for the kernel's default
   * @param mtu what VXLAN packets may have; 0 for the external interface's MTU
   * @param directRouting uses routes to nodes that are on the same link
   */
  record Vxlan(int vni, int port, int mtu, boolean gbp, boolean learning, boolean directRouting)
      implements Backend {
    private static final int KERNEL_PORT = 8472;
    private static final int OVERHEAD = 50;
    private static final int OVERHEAD_V6 = 70;

    @Override
    public String type() {
      return "vxlan";
    }

    /** flanneld says the same whatever the family, although the IPv6 device has less. */
    @Override
    public int podMtu(int externalMtu) {
      return deviceMtu(IpFamily.V4, externalMtu);
    }

    int deviceMtu(IpFamily family, int externalMtu) {
      return (mtu == 0 ? externalMtu : mtu) - (family == IpFamily.V4 ? OVERHEAD : OVERHEAD_V6);
    }

    int udpPort() {
      return port == 0 ? KERNEL_PORT : port;
    }

    String deviceName(IpFamily family) {
      return (family == IpFamily.V4 ? "flannel." : "flannel-v6.") + vni;
    }
  }

  /** Reads the object; {@code in} is the one that contains it. */
  static Backend read(JsonFields in) {
    JsonFields options = in.object("Backend");
    String type = options.text("Type").or("").toLowerCase(Locale.ROOT);
    return switch (type) {
      case "vxlan" ->
          new Vxlan(
              options.integer("VNI", 0, (1 << 24) - 1).or(1),
              options.integer("Port", 0, 65535).or(0),
              options.integer("MTU", 0, 65535).or(0),
              options.bool("GBP").or(false),
              options.bool("Learning").or(false),
              options.bool("DirectRouting").or(false));
      case "host-gw" -> new HostGw();
      case "" -> {
        options.problem(
            "Type",
            in.has("Backend")
                ? "is missing: use vxlan or host-gw"
                : "is missing, which means udp to flanneld: use vxlan or host-gw");
        yield new HostGw();
      }
      default -> {
        options.problem(
            "Type",
            "%s is not available here: use vxlan%s"
                .formatted(
                    Quoted.brief(type),
                    switch (type) {
                      case "udp", "ipip", "extension" -> "";
                      case "wireguard", "ipsec" ->
                          ", or WireGuard of Calico's network for encryption";
                      case "alloc", "tencent-vpc" -> ", or host-gw where nodes share a network";
                      default -> " or host-gw";
                    }));
        yield new HostGw();
      }
    };
  }
}
