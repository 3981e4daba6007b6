package io.ocicat.agent.startup;

import static io.ocicat.agent.startup.StartupException.Reason.NO_ADDRESS;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.RouteLookup;
import io.ocicat.netlink.route.Routes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the node's own address in the state of the host's network namespace. Interfaces that are
 * down do not count.
 *
 * <p>Where several interfaces qualify, Calico takes the one that was created last. For first-found
 * this takes, if it qualifies, the address that Kubernetes knows as the node's, or else an address
 * of the interface with the default route: the last one created is often a bridge.
 *
 * @param internal the addresses that Kubernetes knows as the node's
 */
public record AddressAutodetection(NetNs host, List<IpAddress> internal) {
  public AddressAutodetection {
    internal = List.copyOf(internal);
  }

  /**
   * An address of the node.
   *
   * @param prefix the address, with the prefix length of its subnet
   */
  public record Detected(IpPrefix prefix, String interfaceName) {}

  /**
   * Finds the address of a family.
   *
   * @param variable where the method is from, for messages
   * @throws StartupException when the method is invalid or finds none
   */
  public Detected detect(IpFamily family, String variable, String method) {
    DetectionMethod parsed = DetectionMethod.parse(variable, method);
    try (NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, host)) {
      List<HostInterface> interfaces =
          HostInterface.all(socket).stream().filter(HostInterface::up).toList();
      Optional<Detected> found =
          switch (parsed) {
            case DetectionMethod.FirstFound(List<Pattern> excluded) ->
                firstFound(socket, interfaces, family, excluded);
            case DetectionMethod.OfInterface(List<Pattern> names) ->
                first(newestFirst(interfaces), family, it -> matches(names, it.name()), _ -> true);
            case DetectionMethod.InCidr(List<IpPrefix> cidrs) ->
                first(
                    newestFirst(interfaces),
                    family,
                    _ -> true,
                    prefix -> cidrs.stream().anyMatch(cidr -> cidr.contains(prefix.address())));
            case DetectionMethod.CanReach(String destination) ->
                source(socket, interfaces, family, variable, destination);
            case DetectionMethod.KubernetesInternalIp() -> internal(interfaces, family, variable);
          };
      return found.orElseThrow(
          () ->
              new StartupException(
                  NO_ADDRESS,
                  "no %s address of this node is found by %s \"%s\" on %s: give an interface an address, or set %s"
                      .formatted(
                          family,
                          variable,
                          method.isEmpty() ? "first-found" : method,
                          describe(interfaces),
                          StartupSettings.addressVariable(family))));
    }
  }

  /** Returns this address with its interface, if the host has it. */
  public Optional<Detected> find(IpAddress address) {
    try (NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, host)) {
      return find(HostInterface.all(socket), address);
    }
  }

  /** Reads the interfaces of the host that are the node's own, by name. */
  public List<HostInterface> interfaces() {
    try (NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, host)) {
      return HostInterface.all(socket).stream()
          .filter(it -> !it.isExcluded())
          .sorted(Comparator.comparing(HostInterface::name))
          .toList();
    }
  }

  private Optional<Detected> firstFound(
      NetlinkSocket socket,
      List<HostInterface> interfaces,
      IpFamily family,
      List<Pattern> excluded) {
    Predicate<HostInterface> qualifies = it -> !it.isExcluded() && !matches(excluded, it.name());
    List<HostInterface> order = new ArrayList<>(newestFirst(interfaces));
    defaultRouteDevice(socket, family)
        .ifPresent(
            device ->
                order.sort(Comparator.comparingInt(it -> it.index() == device.index() ? 0 : 1)));
    return first(order, family, qualifies, prefix -> internal.contains(prefix.address()))
        .or(() -> first(order, family, qualifies, _ -> true));
  }

  private static Optional<Device> defaultRouteDevice(NetlinkSocket socket, IpFamily family) {
    return socket.list(Routes.list(RouteFilter.main(family))).stream()
        .filter(route -> route.destination().length() == 0 && route.device().isPresent())
        .min(Comparator.comparingLong(Route::metric))
        .flatMap(Route::device);
  }

  private static List<HostInterface> newestFirst(List<HostInterface> interfaces) {
    List<HostInterface> reversed = new ArrayList<>(interfaces);
    Collections.reverse(reversed);
    return reversed;
  }

  private static Optional<Detected> first(
      List<HostInterface> interfaces,
      IpFamily family,
      Predicate<HostInterface> qualifies,
      Predicate<IpPrefix> wanted) {
    return interfaces.stream()
        .filter(qualifies)
        .flatMap(
            it -> it.global(family).filter(wanted).map(prefix -> new Detected(prefix, it.name())))
        .findFirst();
  }

  private Optional<Detected> source(
      NetlinkSocket socket,
      List<HostInterface> interfaces,
      IpFamily family,
      String variable,
      String destination) {
    IpAddress address =
        IpAddress.tryParse(destination)
            .or(() -> HostNameLookup.find(host, family, destination))
            .filter(it -> IpFamily.of(it) == family)
            .orElseThrow(
                () ->
                    new StartupException(
                        NO_ADDRESS,
                        "%s: \"%s\" is neither an %s address nor a host name that has one"
                            .formatted(variable, destination, family)));
    try {
      return socket
          .find(Routes.lookup(RouteLookup.to(address)))
          .flatMap(route -> Optional.ofNullable(route.source()))
          .flatMap(source -> find(interfaces, source));
    } catch (NetlinkException e) {
      throw new StartupException(
          NO_ADDRESS, "%s: %s cannot be reached: %s".formatted(variable, address, e.errno()), e);
    }
  }

  private Optional<Detected> internal(
      List<HostInterface> interfaces, IpFamily family, String variable) {
    IpAddress address =
        internal.stream()
            .filter(it -> IpFamily.of(it) == family)
            .findFirst()
            .orElseThrow(
                () ->
                    new StartupException(
                        NO_ADDRESS,
                        "%s: the Kubernetes node has no InternalIP of %s: see kubelet's --node-ip, or choose another method"
                            .formatted(variable, family)));
    return find(interfaces, address);
  }

  private static Optional<Detected> find(List<HostInterface> interfaces, IpAddress address) {
    return interfaces.stream()
        .flatMap(it -> it.find(address).map(prefix -> new Detected(prefix, it.name())).stream())
        .findFirst();
  }

  private static boolean matches(List<Pattern> patterns, String name) {
    return patterns.stream().anyMatch(pattern -> pattern.matcher(name).find());
  }

  private static String describe(List<HostInterface> interfaces) {
    List<String> names =
        Stream.concat(
                interfaces.stream().map(HostInterface::name).limit(10),
                interfaces.size() > 10 ? Stream.of("…") : Stream.of())
            .toList();
    return names.isEmpty() ? "no interface that is up" : String.join(", ", names);
  }
}
