package io.ocicat.netlink.route;

import static io.ocicat.netlink.route.TestNet.ip;
import static io.ocicat.netlink.route.TestNet.prefix;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.Monitor.Changed;
import io.ocicat.netlink.Monitor.Event;
import io.ocicat.netlink.Monitor.Removed;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Topic;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Hosts
class RoutingMonitorTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final MacAddress MAC = MacAddress.parse("02:00:5e:10:00:01");

  private TestNet net;
  private NetlinkSocket socket;
  private Device eth0;

  @BeforeEach
  void open(Host host) {
    net = TestNet.of(host);
    socket = net.socket();
    eth0 = net.link("eth0");
  }

  @AfterEach
  void close() {
    net.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1/24", "fd00::1/64"})
  void addressesComeAndGo(String text) {
    Address address = Address.of(prefix(text), eth0).nodad();
    Predicate<Address> same = one -> one.prefix().equals(address.prefix());
    try (Monitor<Address> monitor = watch(Addresses.CHANGES)) {
      socket.perform(Addresses.add(address));
      changed(monitor, same);

      socket.perform(Addresses.delete(address));
      removed(monitor, same);
    }
  }

  @Test
  void theEndOfDuplicateDetectionIsAChange() {
    try (Monitor<Address> monitor = watch(Addresses.CHANGES)) {
      socket.perform(Addresses.add(Address.of(prefix("fd00::1/64"), eth0)));

      changed(monitor, one -> one.has(AddressFlag.TENTATIVE));
      changed(monitor, one -> !one.has(AddressFlag.TENTATIVE));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.9.0.0/16", "fd09::/48"})
  void routesComeAndGo(String destination) {
    Route route = Route.to(prefix(destination)).dev(eth0).table(100);
    Predicate<Route> same = one -> one.destination().equals(route.destination());
    try (Monitor<Route> monitor = watch(Routes.CHANGES)) {
      socket.perform(Routes.add(route));
      assertThat(changed(monitor, same).table()).isEqualTo(100);

      socket.perform(Routes.delete(route));
      removed(monitor, same);
    }
  }

  @Test
  void onlyIpv6TellsOfRoutesThatGoWithTheirLink(Host host) {
    Device eth1 = net.link("eth1");
    Route v4 = Route.to(prefix("10.9.0.0/16")).dev(eth0);
    Route v6 = Route.to(prefix("fd09::/48")).dev(eth0);
    Route later = Route.to(prefix("10.8.0.0/16")).dev(eth1);
    socket.perform(Routes.add(v4), Routes.add(v6));
    try (Monitor<Route> monitor = watch(Routes.CHANGES)) {
      host.exec("ip", "link", "set", "eth0", "down");
      socket.perform(Routes.add(later));

      List<IpPrefix> gone = new ArrayList<>();
      next(
          monitor,
          event -> {
            if (event instanceof Removed<Route>(Route route)) {
              gone.add(route.destination());
            }
            return event instanceof Changed<Route>(Route route)
                && route.destination().equals(later.destination());
          });
      assertThat(gone).contains(v6.destination()).doesNotContain(v4.destination());
      assertThat(socket.list(Routes.list(RouteFilter.main(IpFamily.V4).dev(eth0)))).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(IpFamily.class)
  void rulesComeAndGo(IpFamily family) {
    RoutingRule rule = RoutingRule.of(family).priority(77).lookup(100);
    Predicate<RoutingRule> same = one -> one.family() == family && one.priority() == 77;
    try (Monitor<RoutingRule> monitor = watch(RoutingRules.CHANGES)) {
      socket.perform(RoutingRules.add(rule));
      changed(monitor, same);

      socket.perform(RoutingRules.delete(rule));
      removed(monitor, same);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.2", "fd00::2"})
  void neighboursComeAndGo(String address, Host host) {
    Neighbour neighbour = Neighbour.permanent(eth0, ip(address), MAC);
    try (Monitor<Neighbour> monitor = watch(Neighbours.CHANGES)) {
      // Bridges announce their entries in the same group; they are ignored.
      host.exec("ip", "link", "add", "br0", "type", "bridge");
      host.exec("ip", "link", "set", "eth0", "master", "br0");
      host.exec("bridge", "fdb", "add", "02:00:5e:10:00:09", "dev", "eth0", "master", "static");

      socket.perform(Neighbours.add(neighbour));
      changed(monitor, neighbour::equals);
      socket.perform(Neighbours.delete(neighbour));
      removed(monitor, one -> one.address().equals(neighbour.address()));
    }
  }

  @Test
  void oneMonitorMayFollowSeveralTopics() {
    try (Monitor<Record> monitor =
        Monitor.open(net.namespace(), Addresses.CHANGES, Routes.CHANGES)) {
      socket.perform(Addresses.add(Address.of(prefix("10.0.0.1/24"), eth0)));

      changed(monitor, Address.class::isInstance);
      changed(monitor, one -> one instanceof Route route && route.scope().equals(Scope.LINK));
    }
  }

  private <T> Monitor<T> watch(Topic<T> topic) {
    return Monitor.open(net.namespace(), topic);
  }

  private static <T> T changed(Monitor<T> monitor, Predicate<T> condition) {
    return next(monitor, event -> event instanceof Changed<T>(T one) && condition.test(one));
  }

  private static <T> T removed(Monitor<T> monitor, Predicate<T> condition) {
    return next(monitor, event -> event instanceof Removed<T>(T one) && condition.test(one));
  }

  /** The object of the next event that matches. */
  private static <T> T next(Monitor<T> monitor, Predicate<Event<T>> condition) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (System.nanoTime() < deadline) {
      Event<T> event =
          monitor
              .poll(TIMEOUT)
              .orElseThrow(() -> new AssertionError("nothing happened within " + TIMEOUT));
      if (condition.test(event)) {
        return switch (event) {
          case Changed<T>(T object) -> object;
          case Removed<T>(T object) -> object;
          case Monitor.Lost<T>() -> throw new AssertionError("events were lost");
        };
      }
    }
    throw new AssertionError("no such event within " + TIMEOUT);
  }
}
