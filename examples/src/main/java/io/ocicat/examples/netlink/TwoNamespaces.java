package io.ocicat.examples.netlink;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.Monitor;
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
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.RouteLookup;
import io.ocicat.netlink.route.Routes;

/** Two namespaces joined by a veth pair, with addresses and a route; they end with the program. */
public final class TwoNamespaces {
  private TwoNamespaces() {}

  static void main() {
    try (NetNs host = NetNs.create();
        NetNs pod = NetNs.create();
        NetlinkSocket onHost = NetlinkSocket.open(Protocol.ROUTE, host);
        NetlinkSocket inPod = NetlinkSocket.open(Protocol.ROUTE, pod)) {
      Link hostEnd = createVeth(onHost, pod);
      Link podEnd = inPod.find(Links.named("eth0")).orElseThrow();
      System.out.println("created " + hostEnd.name() + " and " + podEnd.name());

      configure(onHost, hostEnd, inPod, podEnd);
      ask(inPod);
      watch(host, onHost, hostEnd);
      fail(onHost);
    }
  }

  /** Both ends in one request, each in its own namespace. */
  private static Link createVeth(NetlinkSocket onHost, NetNs pod) {
    LinkSettings inside = LinkSettings.named("eth0").in(pod).mtu(1450);
    LinkSettings outside = LinkSettings.named("veth0").mtu(1450);
    return Links.create(onHost, outside, new LinkKind.Veth(inside));
  }

  /** Requests that belong together go to the kernel in one send. */
  private static void configure(
      NetlinkSocket onHost, Link hostEnd, NetlinkSocket inPod, Link podEnd) {
    Device veth0 = Device.of(hostEnd);
    Device eth0 = Device.of(podEnd);
    onHost.perform(
        Addresses.add(Address.of(IpPrefix.parse("10.1.0.1/24"), veth0)), Links.up(hostEnd.index()));
    inPod.perform(
        Addresses.add(Address.of(IpPrefix.parse("10.1.0.2/24"), eth0)),
        Links.up(podEnd.index()),
        Routes.add(
            Route.to(IpPrefix.parse("0.0.0.0/0")).via(IpAddress.parse("10.1.0.1")).dev(eth0)));
  }

  private static void ask(NetlinkSocket inPod) {
    for (Route route : inPod.list(Routes.list(RouteFilter.main(IpFamily.V4)))) {
      System.out.println("route " + route);
    }
    Route chosen =
        inPod.find(Routes.lookup(RouteLookup.to(IpAddress.parse("192.0.2.7")))).orElseThrow();
    System.out.println("192.0.2.7 is reached via " + chosen.gateway().orElseThrow());
  }

  /** Open the monitor first, then change something: no event is missed. */
  private static void watch(NetNs host, NetlinkSocket onHost, Link hostEnd) {
    try (Monitor<Link> monitor = Monitor.open(host, Links.CHANGES)) {
      onHost.perform(Links.delete(hostEnd.index()));
      boolean removed = false;
      while (!removed) {
        removed = monitor.next().orElseThrow() instanceof Monitor.Removed<Link>;
      }
      System.out.println("removed " + hostEnd.name());
    }
  }

  private static void fail(NetlinkSocket onHost) {
    try {
      onHost.perform(Links.delete("veth0"));
    } catch (NetlinkException e) {
      System.out.println(e.getMessage());
      System.out.println(e.is(Errno.ENODEV) ? "so it is gone" : "that is something else");
    }
  }
}
