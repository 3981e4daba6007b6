package io.ocicat.cli.cluster;

import io.ocicat.cli.machine.MachineException;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.Routes;
import java.nio.file.Path;
import java.util.List;

/**
 * The network that a cluster's nodes are on: a bridge whose namespace is also their router, and
 * behind that a host outside of the cluster, which has no route to pods. So a pod reaches it only
 * from a node's address. Runs in a process in the namespaces of the cluster; whatever exists
 * already is left as it is.
 */
final class Underlay implements AutoCloseable {
  static final String ROUTER = "192.0.2.1";
  static final String ROUTER_6 = "2001:db8:1::1";
  static final String OUTSIDE = "198.51.100.10";
  static final String OUTSIDE_6 = "2001:db8:2::10";

  private static final String ROUTER_OUTSIDE = "198.51.100.1";
  private static final String ROUTER_OUTSIDE_6 = "2001:db8:2::1";
  private static final Path OUTSIDE_NETNS = Path.of("/run/netns/outside");
  private static final MacAddress ROUTER_MAC = MacAddress.parse("02:00:00:00:00:01");
  private static final String BRIDGE = "underlay0";
  private static final String TO_OUTSIDE = "outside0";

  private final boolean dualStack;
  private final NetlinkSocket router;

  private Underlay(boolean dualStack, NetlinkSocket router) {
    this.dualStack = dualStack;
    this.router = router;
  }

  /** The IPv4 address of a node, by its number. */
  static String address(int node) {
    return "192.0.2." + (10 + node);
  }

  static String address6(int node) {
    return "2001:db8:1::" + (10 + node);
  }

  /**
   * @param ipip whether the kernel must have IPIP
   */
  static Underlay open(boolean dualStack, boolean ipip) {
    Underlay underlay = new Underlay(dualStack, NetlinkSocket.open(Protocol.ROUTE));
    try {
      underlay.build();
      if (ipip) {
        ClusterNetwork.requireIpip(underlay.router);
      }
      return underlay;
    } catch (NetlinkException e) {
      underlay.close();
      throw refusal(e);
    }
  }

  private static RuntimeException refusal(NetlinkException e) {
    return e.is(Errno.EOPNOTSUPP)
        ? new MachineException(
            "this kernel lacks veth links or bridges: load their modules (modprobe veth bridge), or"
                + " take a kernel with CONFIG_VETH and CONFIG_BRIDGE",
            e)
        : e;
  }

  private void build() {
    if (router.find(Links.named(BRIDGE)).isPresent()) {
      return;
    }
    Link bridge =
        Links.create(
            router,
            // Else it would change with the ports, and the nodes would still send to the old one.
            LinkSettings.named(BRIDGE).mac(ROUTER_MAC),
            new LinkKind.Bridge());
    up(router, bridge, ROUTER, ROUTER_6);
    try (NetNs outside = NetNs.open(OUTSIDE_NETNS);
        NetlinkSocket host = NetlinkSocket.open(Protocol.ROUTE, outside)) {
      Link link =
          Links.create(
              router,
              LinkSettings.named(TO_OUTSIDE),
              new LinkKind.Veth(LinkSettings.named("eth0").in(outside)));
      up(router, link, ROUTER_OUTSIDE, ROUTER_OUTSIDE_6);
      up(host, host.find(Links.named("eth0")).orElseThrow(), OUTSIDE, OUTSIDE_6);
      defaultRoute(host, ROUTER_OUTSIDE, ROUTER_OUTSIDE_6);
    }
    Sysctl.parse("net.ipv4.ip_forward").write("1");
    if (dualStack) {
      Sysctl.parse("net.ipv6.conf.all.forwarding").write("1");
    }
  }

  /**
   * Gives a node its eth0, unless it has one.
   *
   * @param netns of the node
   */
  void connect(int node, Path netns) {
    try (NetNs namespace = NetNs.open(netns);
        NetlinkSocket inside = NetlinkSocket.open(Protocol.ROUTE, namespace)) {
      if (inside.find(Links.named("eth0")).isPresent()) {
        return;
      }
      int bridge = router.find(Links.named(BRIDGE)).orElseThrow().index();
      Link port =
          Links.create(
              router,
              LinkSettings.named("port" + node).master(bridge),
              new LinkKind.Veth(LinkSettings.named("eth0").in(namespace)));
      router.perform(Links.up(port.index()));
      Link eth0 = inside.find(Links.named("eth0")).orElseThrow();
      up(inside, eth0, address(node), address6(node));
      // Without one the kernel would not answer for the gateway of pods (proxy_arp), either.
      defaultRoute(inside, ROUTER, ROUTER_6);
    } catch (NetlinkException e) {
      throw refusal(e);
    }
  }

  private void up(NetlinkSocket net, Link link, String address, String address6) {
    net.perform(
        Links.set("lo", LinkSettings.none().up()),
        Addresses.add(Address.of(IpPrefix.parse(address + "/24"), Device.of(link))),
        Links.up(link.index()));
    if (dualStack) {
      net.perform(
          Addresses.add(Address.of(IpPrefix.parse(address6 + "/64"), Device.of(link)).nodad()));
    }
  }

  private void defaultRoute(NetlinkSocket net, String gateway, String gateway6) {
    List<NetlinkRequest> routes =
        dualStack
            ? List.of(route("0.0.0.0/0", gateway), route("::/0", gateway6))
            : List.of(route("0.0.0.0/0", gateway));
    net.perform(routes.toArray(NetlinkRequest[]::new));
  }

  private static NetlinkRequest route(String to, String gateway) {
    return Routes.add(Route.to(IpPrefix.parse(to)).via(IpAddress.parse(gateway)));
  }

  @Override
  public void close() {
    router.close();
  }
}
