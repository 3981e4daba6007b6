package io.ocicat.cli.cluster;

import io.ocicat.cli.machine.InstalledPrograms;
import io.ocicat.cli.machine.MachineException;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How pods of different nodes reach each other. */
public enum ClusterNetwork {
  /** Calico without encapsulation: each node's agent routes to the others. */
  CALICO,
  /** Calico with VXLAN between all nodes. */
  CALICO_VXLAN,
  /** Calico with IPIP between all nodes; IPv6 is not encapsulated. */
  CALICO_IPIP,
  /** Calico without encapsulation: each node's BIRD tells the others' its routes. */
  CALICO_BGP,
  /** flannel with VXLAN between all nodes. */
  FLANNEL_VXLAN,
  /** flannel without encapsulation: each node's agent routes to the others. */
  FLANNEL_HOST_GW;

  static final String POOL = "10.65.0.0/16";
  static final String POOL_6 = "fd65::/48";

  /** Where the flannel plugin finds the node's lease. */
  static final String SUBNET_FILE = "/run/flannel/subnet.env";

  private static final String FLANNEL_CONF = "/run/flannel/net-conf.json";
  private static final String ALWAYS = "Always";
  private static final String NEVER = "Never";

  /** As users write it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  boolean isFlannel() {
    return this == FLANNEL_VXLAN || this == FLANNEL_HOST_GW;
  }

  /**
   * Checks what the machine must have, before anything is created.
   *
   * @throws MachineException naming what is missing, and how to get it
   */
  void requirePrograms() {
    if (this == CALICO_BGP && InstalledPrograms.find("bird").isEmpty()) {
      throw new MachineException(
          "--network calico-bgp needs BIRD: apt-get install bird2 (as root), or choose another network");
    }
    if (this == CALICO_IPIP) {
      try (NetNs scratch = NetNs.create();
          NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, scratch)) {
        requireIpip(socket);
      } catch (NetlinkException _) {
        // Only root may try it here; everybody else does in the cluster's namespaces.
      }
    }
  }

  /**
   * Leaves nothing in a namespace that has IPIP's own device, as those have that were just made.
   */
  static void requireIpip(NetlinkSocket socket) {
    try {
      socket.perform(Links.create(LinkSettings.named("probe-ipip"), new LinkKind.Ipip()));
      socket
          .find(Links.named("probe-ipip"))
          .ifPresent(link -> socket.perform(Links.delete(link.index())));
    } catch (NetlinkException e) {
      if (e.is(Errno.EOPNOTSUPP)) {
        throw new MachineException(
            "--network calico-ipip needs a kernel with IPIP, and this one has none: load it (modprobe ipip), or choose calico-vxlan",
            e);
      }
      // EEXIST: there is one already.
    }
  }

  /** What {@code ocicat node} is told of it, by the names of Calico and flannel. */
  Map<String, String> environment(boolean dualStack) {
    Map<String, String> variables = new TreeMap<>();
    variables.put("FELIX_IPV6SUPPORT", Boolean.toString(dualStack));
    if (isFlannel()) {
      variables.put("OCICAT_FLANNEL", "true");
      variables.put("FLANNELD_IFACE", "eth0");
      variables.put("FLANNELD_IP_MASQ", "true");
      variables.put("FLANNELD_SUBNET_FILE", SUBNET_FILE);
      variables.put("FLANNELD_NET_CONFIG_PATH", FLANNEL_CONF);
      variables.put("NO_DEFAULT_POOLS", "true");
      return variables;
    }
    String vxlan = this == CALICO_VXLAN ? ALWAYS : NEVER;
    variables.put("CALICO_IPV4POOL_CIDR", POOL);
    variables.put("CALICO_IPV4POOL_IPIP", this == CALICO_IPIP ? ALWAYS : NEVER);
    variables.put("CALICO_IPV4POOL_VXLAN", vxlan);
    variables.put("CALICO_IPV4POOL_NAT_OUTGOING", "true");
    if (dualStack) {
      variables.put("CALICO_IPV6POOL_CIDR", POOL_6);
      variables.put("CALICO_IPV6POOL_VXLAN", vxlan);
      variables.put("CALICO_IPV6POOL_NAT_OUTGOING", "true");
    }
    if (this == CALICO_BGP) {
      variables.put("CALICO_NETWORKING_BACKEND", "bird");
    }
    return variables;
  }

  /** What each node has to be given, by path. */
  Map<String, String> files(ClusterSpec spec) {
    return isFlannel()
        ? Map.of(
            "/run/cni/net.d/10-flannel.conflist", flannelConflist(), FLANNEL_CONF, flannel(spec))
        : Map.of("/run/cni/net.d/10-calico.conflist", calicoConflist(spec));
  }

  private static String calicoConflist(ClusterSpec spec) {
    return """
        {
          "cniVersion": "1.0.0",
          "name": "k8s-pod-network",
          "plugins": [
            {"type": "calico", %s,
             "ipam": {"type": "calico-ipam", "assign_ipv4": "true", "assign_ipv6": "%s"},
             "policy": {"type": "k8s"}},
            {"type": "portmap", "snat": true, "capabilities": {"portMappings": true}}
          ]
        }
        """
        .formatted(spec.datastore().cniMembers(), spec.dualStack());
  }

  private static String flannelConflist() {
    return """
        {
          "cniVersion": "1.0.0",
          "name": "cbr0",
          "plugins": [
            {"type": "flannel", "subnetFile": "%s",
             "delegate": {"hairpinMode": true, "isDefaultGateway": true}},
            {"type": "portmap", "snat": true, "capabilities": {"portMappings": true}}
          ]
        }
        """
        .formatted(SUBNET_FILE);
  }

  /** flannel's network: a /24 of it for each node, and a /64. */
  private String flannel(ClusterSpec spec) {
    return """
        {
          "Network": "%s",
          "EnableIPv6": %s,%s
          "Backend": {"Type": "%s"}
        }
        """
        .formatted(
            POOL,
            spec.dualStack(),
            spec.dualStack() ? "\n  \"IPv6Network\": \"%s\",".formatted(POOL_6) : "",
            this == FLANNEL_VXLAN ? "vxlan" : "host-gw");
  }

  static final class Converter implements ITypeConverter<ClusterNetwork> {
    @Override
    public ClusterNetwork convert(String text) {
      for (ClusterNetwork network : values()) {
        if (network.label().equals(text)) {
          return network;
        }
      }
      throw new TypeConversionException(
          "\"%s\" is not a network: use %s"
              .formatted(
                  text,
                  Arrays.stream(values())
                      .map(ClusterNetwork::label)
                      .collect(Collectors.joining(", "))));
    }
  }
}
