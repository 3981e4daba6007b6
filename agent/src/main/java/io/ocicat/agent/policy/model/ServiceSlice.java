package io.ocicat.agent.policy.model;

import io.ocicat.agent.filter.SetMember;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;

/**
 * A part of the endpoints of a service.
 *
 * @param ports protocols and ports that each of the addresses has
 */
public record ServiceSlice(
    ResourceKey key, ServiceName service, List<IpAddress> addresses, List<ServicePort> ports) {

  /** A protocol, by its number in the IP header, and a port. */
  public record ServicePort(int protocol, int port) {}

  public ServiceSlice {
    addresses = List.copyOf(addresses);
    ports = List.copyOf(ports);
  }

  /** The addresses. */
  public List<SetMember> networks() {
    return addresses.stream()
        .<SetMember>map(address -> new SetMember.Network(IpPrefix.host(address)))
        .toList();
  }

  /** The addresses with each of the ports. */
  public List<SetMember> addressPorts() {
    List<SetMember> members = new ArrayList<>();
    for (IpAddress address : addresses) {
      for (ServicePort port : ports) {
        members.add(new SetMember.Port(address, port.protocol(), port.port()));
      }
    }
    return members;
  }
}
