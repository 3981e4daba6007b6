package io.ocicat.agent.flannel;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The interface by which the node reaches the others.
 *
 * @param addresses its address of each family that the network has, with the length of its subnet
 * @param publicAddresses the addresses by which the others reach it
 */
record ExternalInterface(
    String name,
    int mtu,
    Map<IpFamily, IpPrefix> addresses,
    Map<IpFamily, IpAddress> publicAddresses) {
  ExternalInterface {
    addresses = Map.copyOf(addresses);
    publicAddresses = Map.copyOf(publicAddresses);
  }

  Optional<IpAddress> address(IpFamily family) {
    return Optional.ofNullable(addresses.get(family)).map(IpPrefix::address);
  }

  Optional<IpAddress> publicAddress(IpFamily family) {
    return Optional.ofNullable(publicAddresses.get(family));
  }

  /** Whether the link's own subnet contains the address, so that no router is in between. */
  boolean isDirect(IpAddress other) {
    IpPrefix own = addresses.get(IpFamily.of(other));
    return own != null && own.network().contains(other);
  }

  /** Whether a router must be in between; not known of an interface whose subnet is itself. */
  boolean isElsewhere(IpAddress other) {
    IpPrefix own = addresses.get(IpFamily.of(other));
    return own != null && own.length() < own.address().bitLength() && !isDirect(other);
  }

  /** A line for each of flannel's networks that contains machines: no pod reaches those. */
  List<String> overlaps(NetConf conf) {
    List<String> found = new ArrayList<>();
    for (IpFamily family : conf.enabled()) {
      IpPrefix network = conf.network(family).orElse(null);
      IpPrefix own = addresses.get(family);
      if (network != null
          && own != null
          && !own.address().isLinkLocal()
          && network.overlaps(own.network())) {
        found.add(
            "flannel: the network %s overlaps %s of interface %s: pods cannot reach machines there; choose another network"
                .formatted(network, own.network(), name));
      }
    }
    return found;
  }
}
