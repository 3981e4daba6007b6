package io.ocicat.agent.flannel;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.AddressFlag;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.RouteLookup;
import io.ocicat.netlink.route.Routes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the external interface as flanneld does: the interfaces that the settings name, in order,
 * then their pattern, then the one that leads to an address; without any of these the one with the
 * default route.
 */
final class InterfaceChoice {
  private final FlannelSettings settings;
  private final List<IpFamily> families;
  private final NetlinkSocket net;
  private final List<Link> links;
  private final List<Address> addresses;

  private InterfaceChoice(FlannelSettings settings, List<IpFamily> families, NetlinkSocket net) {
    this.settings = settings;
    this.families = families;
    this.net = net;
    this.links =
        net.list(Links.all()).stream().sorted(Comparator.comparingInt(Link::index)).toList();
    this.addresses = net.list(Addresses.list());
  }

  /**
   * Chooses.
   *
   * @param publicAddresses what overrides the settings' public addresses
   * @throws FlannelException when no interface can be used, saying why
   */
  static ExternalInterface find(
      NetNs host,
      FlannelSettings settings,
      List<IpFamily> families,
      Map<IpFamily, IpAddress> publicAddresses) {
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.ROUTE, host)) {
      return new InterfaceChoice(settings, families, net).choose(publicAddresses);
    }
  }

  /** An interface, and the address that it was found by. */
  private record Found(Link link, @Nullable IpAddress address) {}

  private ExternalInterface choose(Map<IpFamily, IpAddress> overrides) {
    List<String> failures = new ArrayList<>();
    Found found = search(failures);
    if (found == null) {
      throw new FlannelException(
          "no external interface: %s; this node has %s"
              .formatted(String.join("; ", failures), describe()));
    }
    Link link = found.link();
    if (link.mtu() == 0) {
      throw new FlannelException("the external interface %s has no MTU".formatted(link.name()));
    }
    Map<IpFamily, IpPrefix> own = new EnumMap<>(IpFamily.class);
    Map<IpFamily, IpAddress> published = new EnumMap<>(IpFamily.class);
    for (IpFamily family : families) {
      IpPrefix address =
          addressOf(link, family, found.address())
              .orElseThrow(
                  () ->
                      new FlannelException(
                          "the external interface %s has no %s address: give it one, or choose another interface with FLANNELD_IFACE"
                              .formatted(link.name(), family)));
      own.put(family, address);
      published.put(
          family,
          Optional.ofNullable(overrides.get(family))
              .or(() -> Optional.ofNullable(settings.publicAddresses().get(family)))
              .orElse(address.address()));
    }
    return new ExternalInterface(link.name(), link.mtu(), own, published);
  }

  private @Nullable Found search(List<String> failures) {
    for (String wanted : settings.interfaces()) {
      Optional<Found> found = named(wanted);
      if (found.isPresent()) {
        return found.get();
      }
      failures.add("none has the name or address %s of FLANNELD_IFACE".formatted(wanted));
    }
    Pattern pattern = settings.interfacePattern();
    if (pattern != null) {
      Optional<Found> found = matching(pattern);
      if (found.isPresent()) {
        return found.get();
      }
      failures.add("none matches FLANNELD_IFACE_REGEX %s".formatted(pattern));
    }
    IpAddress destination = settings.canReach();
    if (destination != null) {
      Optional<Found> found = reaching(destination);
      if (found.isPresent()) {
        return found.get();
      }
      failures.add("no route leads to %s of FLANNELD_IFACE_CAN_REACH".formatted(destination));
    }
    return failures.isEmpty() ? withDefaultRoute(failures) : null;
  }

  private Optional<Found> named(String wanted) {
    Optional<IpAddress> address = IpAddress.tryParse(wanted);
    return address.isPresent()
        ? addresses.stream()
            .filter(it -> it.prefix().address().equals(address.get()))
            .findFirst()
            .flatMap(it -> link(it.device()))
            .map(link -> new Found(link, address.get()))
        : links.stream()
            .filter(link -> link.name().equals(wanted))
            .findFirst()
            .map(link -> new Found(link, null));
  }

  /** Addresses are tried before names. */
  private Optional<Found> matching(Pattern pattern) {
    for (Link link : links) {
      for (IpFamily family : families) {
        Optional<IpAddress> address =
            candidates(link, family)
                .map(it -> it.prefix().address())
                .filter(it -> pattern.matcher(it.toString()).find())
                .findFirst();
        if (address.isPresent()) {
          return Optional.of(new Found(link, address.get()));
        }
      }
    }
    return links.stream()
        .filter(link -> pattern.matcher(link.name()).find())
        .findFirst()
        .map(link -> new Found(link, null));
  }

  private Optional<Found> reaching(IpAddress destination) {
    try {
      return net.find(Routes.lookup(RouteLookup.to(destination)))
          .flatMap(
              route ->
                  route.device().flatMap(this::link).map(link -> new Found(link, route.source())));
    } catch (NetlinkException _) {
      return Optional.empty();
    }
  }

  private @Nullable Found withDefaultRoute(List<String> failures) {
    Link chosen = null;
    for (IpFamily family : families) {
      Optional<Link> link =
          net.list(Routes.list(RouteFilter.main(family))).stream()
              .filter(route -> route.destination().length() == 0 && route.device().isPresent())
              .min(Comparator.comparingLong(Route::metric))
              .flatMap(Route::device)
              .flatMap(this::link);
      if (link.isEmpty()) {
        failures.add(
            "there is no default route of %s: add one, or name the interface with FLANNELD_IFACE"
                .formatted(family));
        return null;
      }
      if (chosen != null && chosen.index() != link.get().index()) {
        failures.add(
            "the default routes of IPv4 and IPv6 are on %s and %s: name one with FLANNELD_IFACE"
                .formatted(chosen.name(), link.get().name()));
        return null;
      }
      chosen = link.get();
    }
    return chosen == null ? null : new Found(chosen, null);
  }

  private Optional<Link> link(Device device) {
    return links.stream().filter(link -> link.index() == device.index()).findFirst();
  }

  private Optional<IpPrefix> addressOf(Link link, IpFamily family, @Nullable IpAddress preferred) {
    return candidates(link, family)
        .map(Address::prefix)
        .min(Comparator.comparing(prefix -> !Objects.equals(prefix.address(), preferred)));
  }

  /** The usable addresses, best first: global, permanent, not temporary. */
  private Stream<Address> candidates(Link link, IpFamily family) {
    return addresses.stream()
        .filter(it -> it.device().index() == link.index())
        .filter(it -> IpFamily.of(it.prefix().address()) == family)
        .filter(it -> !it.has(AddressFlag.DEPRECATED) && !it.has(AddressFlag.DADFAILED))
        .sorted(
            Comparator.comparing((Address it) -> it.prefix().address().isLinkLocal())
                .thenComparing(it -> !it.has(AddressFlag.PERMANENT))
                .thenComparing(it -> family == IpFamily.V6 && it.has(AddressFlag.SECONDARY)));
  }

  private String describe() {
    return links.stream().map(Link::name).limit(20).collect(Collectors.joining(", "));
  }
}
