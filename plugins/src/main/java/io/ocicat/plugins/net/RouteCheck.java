package io.ocicat.plugins.net;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Route;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.Routes;

/** Checks that the routes of a result are in their table. */
final class RouteCheck {
  private RouteCheck() {}

  static void requirePresent(NetnsSockets container, Route wanted) {
    IpFamily family = wanted.dst().isV4() ? IpFamily.V4 : IpFamily.V6;
    RouteFilter filter = RouteFilter.main(family);
    if (wanted.table() != null) {
      filter = filter.table(Math.toIntExact(wanted.table()));
    }
    boolean found =
        container.route().list(Routes.list(filter)).stream()
            .anyMatch(
                route ->
                    route.destination().equals(wanted.dst().network())
                        && (wanted.gw() == null
                            || route.gateway().filter(wanted.gw()::equals).isPresent()));
    if (!found) {
      throw new CniException(
          ErrorCode.INTERNAL,
          "expected route %s%s not found"
              .formatted(wanted.dst(), wanted.gw() == null ? "" : " via " + wanted.gw()));
    }
  }
}
