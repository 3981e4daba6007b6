package io.ocicat.agent.policy.model;

import io.ocicat.agent.filter.PortRange;
import io.ocicat.datastore.selector.Selector;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;

/**
 * What a rule demands of one side of a packet. All criteria must hold; an empty list demands
 * nothing.
 *
 * @param selector the address is one of a workload, host endpoint or network set with such labels;
 *     namespaces, service accounts and, where there is also something to select, what must not be
 *     selected are part of it
 * @param notSelector the address is not one of those; only without a selector, so an address that
 *     nobody has matches
 * @param ports the port is in one of these, or is that of an endpoint by one of {@code portNames}
 * @param service the address, and as destination also protocol and port, are those of a service
 */
public record RulePeer(
    List<IpPrefix> nets,
    List<IpPrefix> notNets,
    Optional<Selector> selector,
    Optional<Selector> notSelector,
    List<PortRange> ports,
    List<String> portNames,
    List<PortRange> notPorts,
    List<String> notPortNames,
    Optional<ServiceName> service) {

  /** Matches everything. */
  public static final RulePeer ANY =
      new RulePeer(
          List.of(),
          List.of(),
          Optional.empty(),
          Optional.empty(),
          List.of(),
          List.of(),
          List.of(),
          List.of(),
          Optional.empty());

  public RulePeer {
    nets = List.copyOf(nets);
    notNets = List.copyOf(notNets);
    ports = List.copyOf(ports);
    portNames = List.copyOf(portNames);
    notPorts = List.copyOf(notPorts);
    notPortNames = List.copyOf(notPortNames);
  }

  static RulePeer selected(Selector selector) {
    return new RulePeer(
        List.of(),
        List.of(),
        Optional.of(selector),
        Optional.empty(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        Optional.empty());
  }

  static RulePeer in(List<IpPrefix> nets, List<IpPrefix> notNets) {
    return new RulePeer(
        nets,
        notNets,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        Optional.empty());
  }

  RulePeer withPorts(List<PortRange> numbers, List<String> names) {
    return new RulePeer(
        nets, notNets, selector, notSelector, numbers, names, notPorts, notPortNames, service);
  }
}
