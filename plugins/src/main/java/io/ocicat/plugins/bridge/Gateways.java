package io.ocicat.plugins.bridge;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.Route;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The gateways and routes of a container: the IPAM plugin's, completed from the network
 * configuration.
 *
 * @param addresses of the container, with their gateways
 * @param routes of the container
 * @param onBridge the gateway addresses that the bridge must have
 */
record Gateways(List<IpConfig> addresses, List<Route> routes, List<IpPrefix> onBridge) {
  private static final IpPrefix ALL_V4 = IpPrefix.parse("0.0.0.0/0");
  private static final IpPrefix ALL_V6 = IpPrefix.parse("::/0");
  private static final long MAIN_TABLE = 254;

  static Gateways of(Result ipam, BridgeConf conf, int containerInterface) {
    if (ipam.ips().isEmpty()) {
      throw new CniException(ErrorCode.INTERNAL, "IPAM plugin returned missing IP config");
    }
    List<IpConfig> addresses = new ArrayList<>();
    for (IpConfig ip : ipam.ips()) {
      addresses.add((conf.gateway() ? withGateway(ip) : ip).onInterface(containerInterface));
    }
    List<Route> routes = new ArrayList<>(ipam.routes());
    if (conf.defaultGateway()) {
      addDefault(routes, addresses, IpPrefix::isV4, ALL_V4);
      addDefault(routes, addresses, IpPrefix::isV6, ALL_V6);
    }
    return new Gateways(
        List.copyOf(addresses),
        List.copyOf(routes),
        conf.gateway() ? onBridge(addresses) : List.of());
  }

  /** The bridge's addresses that belong to the container addresses of a result. */
  static List<IpPrefix> onBridge(List<IpConfig> addresses) {
    Set<IpPrefix> gateways = new LinkedHashSet<>();
    for (IpConfig ip : addresses) {
      IpAddress gateway = ip.gateway();
      if (gateway != null) {
        gateways.add(IpPrefix.of(gateway, ip.address().length()));
      }
    }
    return List.copyOf(gateways);
  }

  private static IpConfig withGateway(IpConfig ip) {
    return ip.gateway() == null ? ip.withGateway(ip.address().first().next()) : ip;
  }

  /**
   * Adds a default route unless the result has one; one without a gateway counts, because it uses
   * the address's gateway.
   */
  private static void addDefault(
      List<Route> routes, List<IpConfig> addresses, Predicate<IpPrefix> family, IpPrefix all) {
    boolean present =
        routes.stream()
            .anyMatch(
                route ->
                    route.dst().network().equals(all)
                        && (route.table() == null || route.table() == MAIN_TABLE));
    if (present) {
      return;
    }
    addresses.stream()
        .filter(ip -> family.test(ip.address()))
        .findFirst()
        .map(IpConfig::gateway)
        .ifPresent(gateway -> routes.add(Route.to(all).via(gateway)));
  }

  boolean hasV4() {
    return has(IpPrefix::isV4);
  }

  boolean hasV6() {
    return has(IpPrefix::isV6);
  }

  private boolean has(Predicate<IpPrefix> family) {
    for (IpPrefix gateway : onBridge) {
      if (family.test(gateway)) {
        return true;
      }
    }
    return false;
  }
}
