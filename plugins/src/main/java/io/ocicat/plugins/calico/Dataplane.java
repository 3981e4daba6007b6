package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.link.SharedDeletion;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.Routes;
import io.ocicat.netlink.route.Scope;
import io.ocicat.plugins.calicocluster.HostRouting;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.Forwarding;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.OwnedVeth;
import io.ocicat.plugins.net.VethPair;
import io.ocicat.plugins.net.VethPair.HostEnd;
import io.ocicat.plugins.support.Undo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Connects a container the way Calico does: by a veth pair whose host end answers ARP for every
 * address. The container has its addresses alone (/32, /128) and a gateway address that no
 * interface has: 169.254.1.1, for which the host end answers as for all others (proxy ARP). Its
 * IPv6 gateway is the link-local address that follows from the host end's hardware address, the
 * same on every host. The host has a route to each address.
 *
 * <p>{@link #connect} has all steps in the order the kernel sees them. Calico's plugin waits until
 * the kernel has assigned the host end's link-local address; we assign it explicitly, so that
 * nothing has to wait and no host policy about such addresses can change it.
 */
final class Dataplane {
  static final MacAddress HOST_MAC = MacAddress.parse("ee:ee:ee:ee:ee:ee");
  static final IpAddress GATEWAY_4 = IpAddress.parse("169.254.1.1");
  static final IpAddress GATEWAY_6 = IpAddress.parse("fe80::ecee:eeff:feee:eeee");
  private static final int LINK_LOCAL_LENGTH = 64;
  private static final int ATTEMPTS = 25;
  private static final Duration POLL_INTERVAL = Duration.ofMillis(2);

  /**
   * The veth pair to create.
   *
   * @param name of the host end
   * @param otherName for the host end, when another container has the name
   * @param mac of the container end
   * @param mtu 0 leaves it to the kernel
   * @param routes of the container, by the gateway of their family
   * @param routing whether the host gets routes to the addresses
   */
  record Plan(
      AttachmentOwner owner,
      String name,
      Optional<String> otherName,
      MacAddress mac,
      int mtu,
      int queues,
      List<IpAddress> addresses,
      List<IpPrefix> routes,
      boolean containerForwards,
      HostRouting routing) {
    /** The addresses that the host gets routes to. */
    List<IpAddress> routed() {
      return switch (routing) {
        case ROUTED -> addresses;
        case NOT_YET -> List.of();
      };
    }

    boolean has(IpFamily family) {
      return addresses.stream().anyMatch(address -> IpFamily.of(address) == family);
    }
  }

  private final NetnsSockets host;
  private final NetnsSockets container;
  private final Plan plan;

  Dataplane(NetnsSockets host, NetnsSockets container, Plan plan) {
    this.host = host;
    this.container = container;
    this.plan = plan;
  }

  /**
   * Creates and configures the veth pair. When a step fails, removing the veth pair removes
   * everything.
   */
  VethPair connect() {
    try (Undo undo = new Undo()) {
      VethPair veth = undo.onFailure(create(), made -> made.delete(host));
      hostSettings(veth.host().name());
      containerSettings();
      container.route().perform(containerRequests(veth.container().device()));
      Device end = veth.host().device();
      HostRoutes routes = new HostRoutes(host, end, plan.routed());
      routes.install(hostRequests(end));
      return undo.keep(veth);
    }
  }

  /** Creates both ends in their namespaces; a veth pair of an earlier attempt is removed. */
  private VethPair create() {
    String name = plan.name();
    for (int attempt = 1; ; attempt++) {
      try {
        return create(name);
      } catch (NetlinkException e) {
        Optional<Link> taken = holder(name);
        if (!e.is(Errno.EEXIST) || attempt > 2) {
          throw e;
        }
        if (taken.isEmpty()) {
          // Unless the container has the other name, a DEL has removed the holder in between.
          VethPair.requireFreeName(container, plan.owner().ifName().value());
        } else if (plan.otherName().isPresent()
            && OwnedVeth.isOfAnotherContainer(taken.get(), plan.owner())) {
          name = plan.otherName().get();
        } else {
          remove(taken.get());
        }
      }
    }
  }

  /**
   * Finds the holder of the name; a link that was just created gets its alias only a moment later.
   */
  private Optional<Link> holder(String name) {
    Optional<Link> link = host.link(name);
    for (int attempt = 1;
        attempt < ATTEMPTS && link.isPresent() && plan.otherName().isPresent();
        attempt++) {
      if (!link.get().alias().isEmpty()) {
        break;
      }
      PollInterval.of(POLL_INTERVAL);
      link = host.link(name);
    }
    return link;
  }

  private void remove(Link former) {
    if (!former.kind().equals("veth")) {
      throw new CniException(
          ErrorCode.INTERNAL,
          "failed to delete old hostVeth \"%s\": it is no veth".formatted(former.name()),
          "somebody else made it: rename or remove it");
    }
    // Its own DEL may be faster.
    SharedDeletion.delete(host.namespace(), host.route(), former.index());
  }

  private VethPair create(String name) {
    return VethPair.create(
        host,
        container,
        VethPair.Plan.of(plan.owner().ifName().value())
            .withMac(Optional.of(plan.mac()))
            .withMtu(plan.mtu())
            .withQueues(plan.queues())
            .withHost(
                HostEnd.RANDOM
                    .named(name)
                    .withMac(HOST_MAC)
                    .withAlias(OwnedVeth.alias(plan.owner()))));
  }

  /** Before the link is up, because that is when the kernel starts duplicate address detection. */
  private void hostSettings(String name) {
    host.visit(
        () -> {
          if (plan.has(IpFamily.V4)) {
            Forwarding.enableHere(IpFamily.V4);
            for (String on : List.of("route_localnet", "proxy_arp", "forwarding")) {
              Sysctl.of("net", "ipv4", "conf", name, on).write("1");
            }
            NetnsSockets.writeHereIfPossible(
                Sysctl.of("net", "ipv4", "neigh", name, "proxy_delay"), "0");
          }
          if (plan.has(IpFamily.V6)) {
            Forwarding.enableHere(IpFamily.V6);
            for (String off : List.of("accept_dad", "disable_ipv6")) {
              Sysctl.of("net", "ipv6", "conf", name, off).write("0");
            }
            for (String on : List.of("proxy_ndp", "forwarding")) {
              Sysctl.of("net", "ipv6", "conf", name, on).write("1");
            }
          }
          NetnsSockets.writeHereIfPossible(
              Sysctl.of("net", "ipv6", "conf", name, "accept_ra"), "0");
        });
  }

  private void containerSettings() {
    String forwards = plan.containerForwards() ? "1" : "0";
    container.visit(
        () -> {
          if (plan.has(IpFamily.V4)) {
            Sysctl.of("net", "ipv4", "ip_forward").write(forwards);
          }
          if (plan.has(IpFamily.V6)) {
            for (String scope : List.of("all", "default", "lo")) {
              Sysctl.of("net", "ipv6", "conf", scope, "disable_ipv6").write("0");
            }
            String name = plan.owner().ifName().value();
            Sysctl.of("net", "ipv6", "conf", name, "accept_dad").write("0");
            Sysctl.of("net", "ipv6", "conf", "all", "forwarding").write(forwards);
          }
        });
  }

  private List<NetlinkRequest> containerRequests(Device device) {
    List<NetlinkRequest> requests = new ArrayList<>();
    requests.add(Links.up(device.index()));
    if (plan.has(IpFamily.V4)) {
      requests.add(Routes.add(Route.to(IpPrefix.host(GATEWAY_4)).dev(device).scope(Scope.LINK)));
    }
    for (IpPrefix route : plan.routes()) {
      IpAddress gateway = route.isV4() ? GATEWAY_4 : GATEWAY_6;
      if (plan.has(IpFamily.of(gateway))) {
        requests.add(Routes.add(Route.to(route.network()).via(gateway).dev(device)));
      }
    }
    for (IpAddress address : plan.addresses()) {
      Address own = Address.of(IpPrefix.host(address), device);
      requests.add(Addresses.add(address.isV6() ? own.nodad() : own));
    }
    return requests;
  }

  private List<NetlinkRequest> hostRequests(Device device) {
    List<NetlinkRequest> requests = new ArrayList<>();
    requests.add(Links.up(device.index()));
    if (plan.has(IpFamily.V6)) {
      requests.add(
          Addresses.replace(Address.of(IpPrefix.of(GATEWAY_6, LINK_LOCAL_LENGTH), device).nodad()));
    }
    return requests;
  }
}
