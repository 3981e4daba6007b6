package io.ocicat.agent.policy;

import io.ocicat.agent.filter.SetMember;
import io.ocicat.agent.policy.model.NamedPort;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * An endpoint or network set of the cluster, as far as it can be a member of sets. There may be a
 * hundred thousand, so it has only what members are made of; its labels are in its class.
 */
final class ClusterItem {
  private final SetMember.Network[] networks;
  private final List<NamedPort> ports;

  ClusterItem(List<IpPrefix> nets, List<NamedPort> ports) {
    this.networks = nets.stream().map(SetMember.Network::new).toArray(SetMember.Network[]::new);
    this.ports = ports;
  }

  boolean has(List<IpPrefix> nets, List<NamedPort> otherPorts) {
    if (nets.size() != networks.length || !ports.equals(otherPorts)) {
      return false;
    }
    for (int i = 0; i < networks.length; i++) {
      if (!networks[i].prefix().equals(nets.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Its members in a set of this source. */
  void forEachMember(MemberSource source, Consumer<SetMember> action) {
    switch (source) {
      case MemberSource.Selected _ -> {
        for (SetMember.Network network : networks) {
          action.accept(network);
        }
      }
      case MemberSource.PortsByName named -> membersByPort(named).forEach(action);
      case MemberSource.ServiceAddresses _, MemberSource.ServicePorts _ -> {}
    }
  }

  private List<SetMember> membersByPort(MemberSource.PortsByName named) {
    List<SetMember> members = new ArrayList<>();
    for (NamedPort port : ports) {
      if (!port.name().equals(named.name())
          || named.protocol().orElse(port.protocol()) != port.protocol()) {
        continue;
      }
      for (SetMember.Network network : networks) {
        IpPrefix prefix = network.prefix();
        if (prefix.length() == prefix.address().bitLength()) {
          members.add(new SetMember.Port(prefix.address(), port.protocol(), port.port()));
        }
      }
    }
    return members;
  }
}
