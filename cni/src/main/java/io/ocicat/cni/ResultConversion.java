package io.ocicat.cni;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Converts results between the seven versions. Within a family only the version changes; towards a
 * newer family nothing is lost, because the model is the newest one. Towards an older family:
 *
 * <ul>
 *   <li>1.x to 0.3/0.4 loses an interface's mtu, socketPath and pciID and a route's mtu, advmss,
 *       priority, table and scope. (Go lets the route attributes slip through.)
 *   <li>anything to 0.1/0.2 keeps the first IPv4 and the first IPv6 address without their
 *       interfaces, and the routes of those two families by dst and gw. It fails without an
 *       address.
 * </ul>
 */
final class ResultConversion {
  private ResultConversion() {}

  static Result convert(Result from, SpecVersion target) {
    if (from.version() == target) {
      return from;
    }
    if (from.version().family() == target.family()) {
      return withVersion(from, target);
    }
    return switch (target.family()) {
      case V1 -> withVersion(from, target);
      case V0_4 ->
          withVersion(
              from.version().family() == SpecVersion.Family.V1 ? withoutNewMembers(from) : from,
              target);
      case V0_2 -> toTwoAddresses(from, target);
    };
  }

  private static Result withVersion(Result from, SpecVersion target) {
    return new Result(
        target, from.interfaceSlots(), from.ipSlots(), from.routes(), from.dns(), from.unknown());
  }

  private static Result withoutNewMembers(Result from) {
    return from.mapInterfaces(
            i -> new Interface(i.name(), i.mac(), 0, i.sandbox(), "", "", i.unknown()))
        .withRoutes(from.routes().stream().map(Route::withoutAttributes).toList());
  }

  private static Result toTwoAddresses(Result from, SpecVersion target) {
    Optional<IpConfig> ip4 = first(from, ip -> ip.address().isV4());
    Optional<IpConfig> ip6 = first(from, ip -> ip.address().isV6());
    if (ip4.isEmpty() && ip6.isEmpty()) {
      throw new CniException(
          ErrorCode.INCOMPATIBLE_VERSION,
          "cannot convert: no valid IP addresses",
          "a result of CNI version %s must have one".formatted(target));
    }
    List<@Nullable IpConfig> ips = new ArrayList<>();
    List<Route> routes = new ArrayList<>();
    ip4.ifPresent(
        ip -> {
          ips.add(ip);
          routes.addAll(routes(from, route -> route.dst().isV4()));
        });
    ip6.ifPresent(
        ip -> {
          ips.add(ip);
          routes.addAll(routes(from, route -> route.dst().isV6()));
        });
    return new Result(target, List.of(), ips, routes, from.dns(), from.unknown());
  }

  private static Optional<IpConfig> first(Result from, Predicate<IpConfig> wanted) {
    return from.ips().stream()
        .filter(wanted)
        .findFirst()
        .map(ip -> new IpConfig(null, ip.address(), ip.gateway(), ip.unknown()));
  }

  private static List<Route> routes(Result from, Predicate<Route> wanted) {
    return from.routes().stream().filter(wanted).map(Route::withoutAttributes).toList();
  }
}
