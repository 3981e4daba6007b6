package io.ocicat.conformance.lab;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.NextHop;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.RouteTable;
import io.ocicat.netlink.route.Routes;
import io.ocicat.netlink.route.RoutingRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a namespace or a directory, as lines that can be compared: links, addresses, routes
 * and rules, or files. What the kernel adds by itself (link-local addresses, loopback's own,
 * multicast routes, the local table) comes and goes in its own time and is left out.
 */
public record Snapshot(SortedSet<String> facts) {
  public Snapshot {
    facts = Collections.unmodifiableSortedSet(new TreeSet<>(facts));
  }

  public static Snapshot of(NetlinkSocket net) {
    SortedSet<String> facts = new TreeSet<>();
    List<Link> links = net.list(Links.all());
    Map<Integer, String> names = links.stream().collect(toMap(Link::index, Link::name));
    links.forEach(link -> facts.add(describe(link, names)));
    net.list(Addresses.list()).stream()
        .filter(address -> !isOfTheKernel(address))
        .forEach(
            address ->
                facts.add(
                    "address %s on %s".formatted(address.prefix(), name(address.device(), names))));
    for (IpFamily family : IpFamily.values()) {
      net.list(Routes.list(RouteFilter.all(family))).stream()
          .filter(route -> route.table() != RouteTable.LOCAL && !isLinkLocal(route))
          .forEach(route -> facts.add(describe(route, names)));
    }
    net.list(RoutingRules.list()).forEach(rule -> facts.add("rule " + rule));
    return new Snapshot(facts);
  }

  /** The files below a directory, by name. */
  static Snapshot of(Path directory) {
    try (Stream<Path> all = Files.walk(directory)) {
      SortedSet<String> facts = new TreeSet<>();
      all.filter(path -> !path.equals(directory))
          .forEach(path -> facts.add("file " + directory.relativize(path)));
      return new Snapshot(facts);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + directory, e);
    }
  }

  Snapshot and(Snapshot other) {
    SortedSet<String> both = new TreeSet<>(facts);
    both.addAll(other.facts);
    return new Snapshot(both);
  }

  /** What was added and removed until a later snapshot; empty when nothing was. */
  public List<String> changesUntil(Snapshot later) {
    List<String> changes = new ArrayList<>();
    later.facts.stream()
        .filter(fact -> !facts.contains(fact))
        .map(f -> "+ " + f)
        .forEach(changes::add);
    facts.stream()
        .filter(fact -> !later.facts.contains(fact))
        .map(f -> "- " + f)
        .forEach(changes::add);
    return changes;
  }

  private static String describe(Link link, Map<Integer, String> names) {
    return "link %s%s%s mtu %d %s"
        .formatted(
            link.name(),
            link.kind().isEmpty() ? "" : " of kind " + link.kind(),
            link.master() == 0 ? "" : " on " + names.getOrDefault(link.master(), "?"),
            link.mtu(),
            link.isUp() ? "up" : "down");
  }

  private static String describe(Route route, Map<Integer, String> names) {
    return "route %s %s%s table %s metric %d"
        .formatted(
            route.type(),
            route.destination(),
            route.hops().stream().map(hop -> describe(hop, names)).collect(joining()),
            Integer.toUnsignedString(route.table()),
            route.metric());
  }

  private static String describe(NextHop hop, Map<Integer, String> names) {
    return (hop.gateway() == null ? "" : " via " + hop.gateway())
        + (hop.device() == null ? "" : " on " + name(hop.device(), names));
  }

  private static String name(@Nullable Device device, Map<Integer, String> names) {
    return device == null ? "?" : names.getOrDefault(device.index(), "link " + device.index());
  }

  /** Also 127.0.0.1, which a loopback gets when it goes up for the first time and then keeps. */
  private static boolean isOfTheKernel(Address address) {
    IpAddress ip = address.prefix().address();
    return ip.isLoopback() || (ip.isV6() && ip.isLinkLocal());
  }

  private static boolean isLinkLocal(Route route) {
    return route.destination().isV6()
        && (route.destination().address().isLinkLocal()
            || route.destination().address().isMulticast());
  }
}
