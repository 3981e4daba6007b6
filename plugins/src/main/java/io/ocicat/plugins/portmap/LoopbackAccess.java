package io.ocicat.plugins.portmap;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteTable;
import io.ocicat.netlink.route.RouteType;
import io.ocicat.netlink.route.Routes;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.List;
import java.util.Optional;

/**
 * Lets programs on the host reach forwarded ports through 127.0.0.1 and ::1. Their packets leave
 * through the container's link, and the replies arrive there for an address that belongs to another
 * link, {@code lo}: the kernel must be configured to accept that, once per link.
 *
 * <p>IPv4 has a setting for it, {@code route_localnet}, which also lets everybody on the link send
 * to 127.0.0.0/8 of the host (CVE-2020-8558); the chain {@code input} of {@link PortmapTable} drops
 * that. IPv6 has no setting, but only requires a route to ::1 through the link on which the reply
 * arrived (rt6_need_strict): so we add one. Other machines cannot exploit it: packets from the wire
 * with ::1 in them are dropped early (ip6_rcv_core). For the same reason it does not work with a
 * bridge whose packets pass the IPv6 rules (bridge-nf-call-ip6tables): there the reply's
 * destination is already ::1 again at that point.
 */
final class LoopbackAccess {
  private static final IpPrefix LOOPBACK6 = IpPrefix.parse("::1/128");

  /** Far after lo's own route of metric 0, which programs on the host must keep using. */
  private static final long METRIC = 4096;

  private LoopbackAccess() {}

  static void open(NetnsSockets host, ContainerAddress container) {
    if (!container.hasLink()) {
      return;
    }
    if (container.address().isV4()) {
      openIpv4(host, container);
    } else {
      openIpv6(host, container);
    }
  }

  private static void openIpv4(NetnsSockets host, ContainerAddress container) {
    if (isOpen(host, container)) {
      return;
    }
    try {
      host.write(setting(container), "1");
    } catch (NetlinkException e) {
      throw new CniException(
          ErrorCode.INTERNAL,
          "unable to set route_localnet = 1 for \"%s\": %s"
              .formatted(container.link(), e.getMessage()),
          "set it in advance, or do without forwarding from 127.0.0.1 with \"snat\": false");
    }
  }

  static boolean isOpen(NetnsSockets host, ContainerAddress container) {
    return container.address().isV6() || host.read(setting(container)).equals("1");
  }

  private static Sysctl setting(ContainerAddress container) {
    return Sysctl.of("net", "ipv4", "conf", container.link(), "route_localnet");
  }

  private static void openIpv6(NetnsSockets host, ContainerAddress container) {
    Optional<Link> link = host.link(container.link());
    if (link.isEmpty()) {
      return;
    }
    Route route =
        Route.of(RouteType.LOCAL, LOOPBACK6)
            .dev(Device.of(link.get()))
            .table(RouteTable.LOCAL)
            .metric(METRIC);
    // EEXIST is the usual outcome. Any other error only affects clients of ::1.
    host.route().attempt(List.of(Routes.add(route)));
  }
}
