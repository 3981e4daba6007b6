package io.ocicat.plugins.net;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.Routes;
import io.ocicat.netlink.route.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Configures a result's addresses and routes on an interface inside the container, in one send. */
public final class ContainerInterface {
  private ContainerInterface() {}

  /**
   * Gives the interface its addresses, brings it up and adds the routes, in that order.
   *
   * @param detectDuplicates whether IPv6 addresses wait for duplicate address detection; without it
   *     they are usable at once
   * @throws CniException when an address of the result belongs to another interface
   */
  public static void configure(
      NetnsSockets container, Device device, Result result, boolean detectDuplicates) {
    configure(
        container,
        device,
        result,
        address -> address.prefix().isV4() || detectDuplicates ? address : address.nodad(),
        List.of());
  }

  /**
   * The same with modified addresses and additional routes.
   *
   * @param kind changes the properties of an address before it is added
   * @param gatewayRoutes added before the result's routes, which depend on them
   */
  public static void configure(
      NetnsSockets container,
      Device device,
      Result result,
      UnaryOperator<Address> kind,
      List<Route> gatewayRoutes) {
    List<IpConfig> own = addressesOf(result, device.name());
    if (hasV6(own)) {
      allowIpv6(container, device.name());
    }
    List<NetlinkRequest> requests = new ArrayList<>();
    for (IpConfig ip : own) {
      Address address = Address.of(ip.address(), device).subnetBroadcast();
      requests.add(Addresses.add(kind.apply(address)));
    }
    requests.add(Links.up(device.index()));
    gatewayRoutes.forEach(route -> requests.add(Routes.append(route)));
    for (io.ocicat.cni.Route route : result.routes()) {
      requests.add(Routes.append(route(route, gatewayFor(route, own), device)));
    }
    container.route().perform(requests);
  }

  private static List<IpConfig> addressesOf(Result result, String name) {
    if (result.interfaces().isEmpty()) {
      throw new CniException(ErrorCode.INTERNAL, "no interfaces to configure");
    }
    List<IpConfig> own = new ArrayList<>();
    for (IpConfig ip : result.ips()) {
      if (ip.interfaceIndex() == null) {
        continue;
      }
      String owner =
          result
              .interfaceOf(ip)
              .map(Interface::name)
              .orElseThrow(
                  () ->
                      new CniException(
                          ErrorCode.INTERNAL,
                          "failed to add IP addr %s to \"%s\": invalid interface index %s"
                              .formatted(ip.address(), name, ip.interfaceIndex())));
      if (!owner.equals(name)) {
        throw new CniException(
            ErrorCode.INTERNAL,
            "failed to add IP addr %s to \"%s\": it belongs to \"%s\""
                .formatted(ip.address(), name, owner));
      }
      own.add(ip);
    }
    return own;
  }

  private static boolean hasV6(List<IpConfig> addresses) {
    for (IpConfig ip : addresses) {
      if (ip.address().isV6()) {
        return true;
      }
    }
    return false;
  }

  /** Some hosts disable IPv6 on new interfaces; an IPv6 address overrides that. */
  private static void allowIpv6(NetnsSockets container, String name) {
    container
        .namespace()
        .visit(
            () -> {
              for (String link : List.of("lo", name)) {
                Sysctl disabled = Sysctl.of("net", "ipv6", "conf", link, "disable_ipv6");
                if (!disabled.read().equals("0")) {
                  disabled.write("0");
                }
              }
              Sysctl.of("net", "ipv6", "conf", name, "keep_addr_on_down").write("1");
              return name;
            });
  }

  private static @Nullable IpAddress gatewayFor(io.ocicat.cni.Route route, List<IpConfig> own) {
    if (route.gw() != null) {
      return route.gw();
    }
    for (IpConfig ip : own) {
      if (ip.address().isV4() == route.dst().isV4() && ip.gateway() != null) {
        return ip.gateway();
      }
    }
    return null;
  }

  private static Route route(
      io.ocicat.cni.Route wanted, @Nullable IpAddress gateway, Device device) {
    Route route = Route.to(wanted.dst().network()).dev(device);
    route = gateway == null ? route : route.via(gateway);
    route = wanted.scope() == null ? route : route.scope(new Scope(wanted.scope()));
    route = wanted.table() == null ? route : route.table(Math.toIntExact(wanted.table()));
    route = wanted.priority() == 0 ? route : route.metric(wanted.priority());
    route = wanted.mtu() == 0 ? route : route.mtu(wanted.mtu());
    return wanted.advmss() == 0 ? route : route.advmss(wanted.advmss());
  }

  /**
   * Checks that the interface still has what the result says.
   *
   * @throws CniException naming what is missing
   */
  public static void verify(NetnsSockets container, String name, Result result) {
    Device device = Device.of(container.requireLink(name).index(), name);
    List<Address> present = container.route().list(Addresses.list(device));
    for (IpConfig ip : result.ips()) {
      Optional<Interface> owner = result.interfaceOf(ip);
      boolean elsewhere = owner.isPresent() && !owner.get().name().equals(name);
      if (!elsewhere
          && present.stream().noneMatch(address -> address.prefix().equals(ip.address()))) {
        throw new CniException(
            ErrorCode.INTERNAL,
            "failed to match addr %s on interface %s".formatted(ip.address(), name));
      }
    }
    for (io.ocicat.cni.Route route : result.routes()) {
      RouteCheck.requirePresent(container, route);
    }
  }
}
