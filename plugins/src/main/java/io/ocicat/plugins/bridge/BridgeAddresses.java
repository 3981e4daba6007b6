package io.ocicat.plugins.bridge;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.ArrayList;
import java.util.List;

/** Assigns the gateway addresses to the bridge; the first container of a network brings them. */
final class BridgeAddresses {
  private final NetnsSockets host;
  private final Device device;
  private final List<IpPrefix> wanted;

  BridgeAddresses(NetnsSockets host, Device device, List<IpPrefix> wanted) {
    this.host = host;
    this.device = device;
    this.wanted = List.copyOf(wanted);
  }

  /**
   * Ensures that the device has the addresses; usually it does, and nothing changes.
   *
   * @param mac the hardware address that the device keeps from now on, whatever ports it gets
   * @param replace whether conflicting addresses are removed rather than reported
   * @param detectDuplicates whether IPv6 addresses wait for duplicate address detection
   */
  void ensure(MacAddress mac, boolean replace, boolean detectDuplicates) {
    List<Address> present = host.route().list(Addresses.list(device));
    if (missing(present).isEmpty()) {
      return;
    }
    List<Address> inTheWay = present.stream().filter(this::isInTheWay).toList();
    if (!inTheWay.isEmpty() && !replace) {
      throw conflict(inTheWay.getFirst());
    }
    List<NetlinkRequest> requests = new ArrayList<>();
    inTheWay.forEach(address -> requests.add(Addresses.delete(address)));
    // All of them: when the first address of a subnet goes, Linux removes the subnet's others.
    for (IpPrefix prefix : inTheWay.isEmpty() ? missing(present) : wanted) {
      requests.add(Addresses.add(address(prefix, detectDuplicates)));
    }
    NetlinkRequest pin = Links.setMac(device.index(), mac);
    requests.add(pin);
    // Some bridges cannot keep an address; that is not worth failing for.
    host.route().attempt(requests).stream()
        .filter(outcome -> outcome.request() != pin)
        .forEach(BridgeAddresses::refuseFailure);
  }

  /** Those that the device does not have. */
  List<IpPrefix> missing() {
    return missing(host.route().list(Addresses.list(device)));
  }

  private List<IpPrefix> missing(List<Address> present) {
    List<IpPrefix> missing = new ArrayList<>(wanted);
    for (Address address : present) {
      missing.remove(address.prefix());
    }
    return missing;
  }

  /**
   * A bridge is one IPv4 network, and the containers would not agree with the host which; IPv6
   * networks coexist unless they overlap.
   */
  private boolean isInTheWay(Address present) {
    IpPrefix prefix = present.prefix();
    if (wanted.contains(prefix)) {
      return false;
    }
    return wanted.stream()
        .anyMatch(
            other -> other.isV4() == prefix.isV4() && (prefix.isV4() || prefix.overlaps(other)));
  }

  private CniException conflict(Address present) {
    IpPrefix other =
        wanted.stream()
            .filter(prefix -> prefix.isV4() == present.prefix().isV4())
            .findFirst()
            .orElse(wanted.getFirst());
    return new CniException(
        ErrorCode.INTERNAL,
        "\"%s\" already has an IP address different from %s".formatted(device.name(), other),
        "it has %s: remove that address, set forceAddress, or choose another subnet or bridge"
            .formatted(present.prefix()));
  }

  private Address address(IpPrefix prefix, boolean detectDuplicates) {
    Address address = Address.of(prefix, device);
    if (prefix.isV4()) {
      return address.subnetBroadcast();
    }
    return detectDuplicates ? address : address.nodad();
  }

  /**
   * A concurrent call may have done the same: then the address already exists, or is already gone.
   */
  private static void refuseFailure(RequestOutcome outcome) {
    NetlinkException failure = outcome.failure().orElse(null);
    if (failure != null && !failure.is(Errno.EEXIST) && !failure.is(Errno.EADDRNOTAVAIL)) {
      throw failure;
    }
  }
}
