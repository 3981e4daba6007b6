package io.ocicat.netlink.route;

import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.Topic;
import io.ocicat.netlink.linux.Errno;

/**
 * Requests and queries about routes.
 *
 * <p>IPv4 keeps a list of routes for each destination and metric, of which the first is used. IPv6
 * keeps one, so a second route with a gateway becomes a further next hop of it and packets are
 * spread over both.
 */
public final class Routes {
  private static final int RTM_NEWROUTE = 24;
  private static final int RTM_DELROUTE = 25;
  private static final int RTM_GETROUTE = 26;
  private static final int GROUP_IPV4 = 7;
  private static final int GROUP_IPV6 = 11;

  /**
   * Routes of all tables that appear, change or go. IPv4 does not announce the routes that
   * disappear with a link that is set down or deleted: a watcher of routes must watch links, too.
   */
  public static final Topic<Route> CHANGES =
      Topic.of(RTM_NEWROUTE, RTM_DELROUTE, RouteMessage::read, GROUP_IPV4, GROUP_IPV6)
          .only(FamilyHeader::isIp);

  private Routes() {}

  /** Adds a route; EEXIST when there is one with the same destination, metric and table. */
  public static NetlinkRequest add(Route route) {
    return write("add", NetlinkRequest.CREATE | NetlinkRequest.EXCLUSIVE, route);
  }

  /**
   * Adds a route after those with the same destination, metric and table, for IPv6 as a next hop of
   * the existing one; EEXIST only when this very route exists.
   */
  public static NetlinkRequest append(Route route) {
    return write("append", NetlinkRequest.CREATE | NetlinkRequest.APPEND, route);
  }

  /** The same before the existing ones. IPv6 does not distinguish the two. */
  public static NetlinkRequest prepend(Route route) {
    return write("prepend", NetlinkRequest.CREATE, route);
  }

  /**
   * Replaces the first route with the same destination, metric and table, with all its next hops;
   * adds it when there is none.
   */
  public static NetlinkRequest replace(Route route) {
    return write("replace", NetlinkRequest.CREATE | NetlinkRequest.REPLACE, route);
  }

  /**
   * Deletes the first route that matches everything set here; unset values (scope, protocol,
   * metric, next hop, source) match anything. ESRCH when there is none. IPv6 ignores the type and,
   * given a gateway, removes only that next hop.
   */
  public static NetlinkRequest delete(Route route) {
    return NetlinkRequest.of(
        RTM_DELROUTE, 0, out -> RouteMessage.writeName(out, route), () -> "delete route " + route);
  }

  /** Routes of a family; none when the table does not exist, ENODEV when the device does not. */
  public static NetlinkQuery<Route> list(RouteFilter filter) {
    return NetlinkQuery.all(
            RTM_GETROUTE,
            out -> RouteMessage.writeFilter(out, filter),
            RouteMessage::read,
            () -> "list " + filter)
        .only(FamilyHeader::isIp)
        .where(filter::matches)
        .noneWhen(Errno.ENOENT);
  }

  /**
   * The route a packet would take; none when there is no route to the network. One that rejects the
   * packet is an error: EINVAL for a blackhole, EHOSTUNREACH for unreachable, EACCES for prohibit.
   */
  public static NetlinkQuery<Route> lookup(RouteLookup lookup) {
    return NetlinkQuery.one(
            RTM_GETROUTE,
            out -> RouteMessage.writeLookup(out, lookup),
            RouteMessage::read,
            () -> "look up the route to " + lookup)
        .noneWhen(Errno.ENETUNREACH);
  }

  private static NetlinkRequest write(String verb, int flags, Route route) {
    return NetlinkRequest.of(
        RTM_NEWROUTE,
        flags,
        out -> RouteMessage.writeNew(out, route),
        () -> verb + " route " + route);
  }
}
