package io.ocicat.plugins.portmap;

import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.ip.IpAddress;

/**
 * A port of the host, in one address family.
 *
 * @param address the host address; 0.0.0.0 or :: for all of them
 */
record HostPort(IpAddress address, Protocol protocol, int number) {

  /** The wildcard address of this one's family. */
  static IpAddress allLike(IpAddress address) {
    return address.isV4() ? IpAddress.ofV4(0) : IpAddress.ofV6(0, 0);
  }

  HostPort onAllAddresses() {
    return new HostPort(allLike(address), protocol, number);
  }

  boolean isOnAllAddresses() {
    return address.isUnspecified();
  }

  /** Whether a client on the host may connect to it through 127.0.0.1 or ::1. */
  boolean isOnLoopback() {
    return isOnAllAddresses() || address.isLoopback();
  }

  /** Whether a packet can match both. */
  boolean overlaps(HostPort other) {
    return protocol == other.protocol
        && number == other.number
        && (isOnAllAddresses() || other.isOnAllAddresses() || address.equals(other.address));
  }

  /** As in {@code 8080/tcp} or {@code 10.0.0.1:8080/tcp}. */
  @Override
  public String toString() {
    String port = number + "/" + protocol.text();
    if (isOnAllAddresses()) {
      return port;
    }
    return (address.isV6() ? "[" + address + "]:" : address + ":") + port;
  }
}
