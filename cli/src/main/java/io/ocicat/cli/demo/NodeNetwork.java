package io.ocicat.cli.demo;

import io.ocicat.cli.machine.MachineException;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.Routes;
import java.nio.file.Path;

/**
 * Builds the network of the demo's node and of an external machine on the same link: a veth pair,
 * an address on each side, a default route. Runs in a process on the node.
 */
final class NodeNetwork {
  private static final Path OUTSIDE = Path.of("/run/netns/outside");

  private NodeNetwork() {}

  static void build() {
    try (NetNs outside = NetNs.open(OUTSIDE);
        NetlinkSocket node = NetlinkSocket.open(Protocol.ROUTE);
        NetlinkSocket beyond = NetlinkSocket.open(Protocol.ROUTE, outside)) {
      Link eth0 = connect(node, outside);
      up(node, eth0, "192.0.2.10/24");
      up(beyond, beyond.find(Links.named("eth0")).orElseThrow(), "192.0.2.20/24");
      // As nodes have: without one the kernel would not answer for the gateway of pods (proxy_arp).
      node.perform(
          Routes.add(Route.to(IpPrefix.parse("0.0.0.0/0")).via(IpAddress.parse("192.0.2.20"))));
    }
  }

  private static Link connect(NetlinkSocket node, NetNs outside) {
    try {
      return Links.create(
          node,
          LinkSettings.named("eth0"),
          new LinkKind.Veth(LinkSettings.named("eth0").in(outside)));
    } catch (NetlinkException e) {
      if (e.is(Errno.EOPNOTSUPP)) {
        throw new MachineException(
            "this kernel has no veth links: load their module (modprobe veth), or take a kernel with CONFIG_VETH",
            e);
      }
      throw e;
    }
  }

  private static void up(NetlinkSocket net, Link link, String address) {
    net.perform(
        Links.set("lo", LinkSettings.none().up()),
        Addresses.add(Address.of(IpPrefix.parse(address), Device.of(link))),
        Links.up(link.index()));
  }
}
