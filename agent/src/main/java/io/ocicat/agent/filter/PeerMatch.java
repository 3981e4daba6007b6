package io.ocicat.agent.filter;

import io.ocicat.ip.IpPrefix;
import java.util.List;

/**
 * What a rule demands of one side of a packet. All criteria must hold; an empty list demands
 * nothing.
 *
 * @param nets the address is in one of these; those of the other family do not count, and where
 *     none of the packet's family is listed, nothing matches
 * @param notNets the address is in none of these
 * @param sets the address is in every one of these sets of networks
 * @param notSets the address is in none of these sets of networks
 * @param ports the port is in one of these, or address, protocol and port are in one of {@code
 *     namedPorts}
 * @param namedPorts sets of ports
 * @param notPorts the port is in none of these
 * @param notNamedPorts address, protocol and port are in none of these sets of ports
 * @param services address, protocol and port are in every one of these sets of ports
 */
public record PeerMatch(
    List<IpPrefix> nets,
    List<IpPrefix> notNets,
    List<MemberSetId> sets,
    List<MemberSetId> notSets,
    List<PortRange> ports,
    List<MemberSetId> namedPorts,
    List<PortRange> notPorts,
    List<MemberSetId> notNamedPorts,
    List<MemberSetId> services) {

  /** Matches everything. */
  public static final PeerMatch ANY =
      new PeerMatch(
          List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(),
          List.of());

  public PeerMatch {
    nets = List.copyOf(nets);
    notNets = List.copyOf(notNets);
    sets = List.copyOf(sets);
    notSets = List.copyOf(notSets);
    ports = List.copyOf(ports);
    namedPorts = List.copyOf(namedPorts);
    notPorts = List.copyOf(notPorts);
    notNamedPorts = List.copyOf(notNamedPorts);
    services = List.copyOf(services);
  }
}
