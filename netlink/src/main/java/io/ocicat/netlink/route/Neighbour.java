package io.ocicat.netlink.route;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import org.jspecify.annotations.Nullable;

/**
 * A neighbour entry, to be added or as the kernel reports it: the hardware address of a host on a
 * link or, as a proxy entry, an address elsewhere that this host answers for.
 *
 * @param mac none while the kernel is still asking, for proxy entries, and where the link's
 *     addresses are not MAC addresses
 * @param router an IPv6 neighbour known to be a router
 */
public record Neighbour(
    Device device,
    IpAddress address,
    @Nullable MacAddress mac,
    NeighbourState state,
    boolean proxy,
    boolean router) {

  public Neighbour {
    if (router && address.isV4()) {
      throw new IllegalArgumentException(
          "neighbour " + address + " cannot be marked as a router: that is for IPv6 only");
    }
  }

  /** An entry that stays until somebody deletes it. */
  public static Neighbour permanent(Device device, IpAddress address, MacAddress mac) {
    return new Neighbour(device, address, mac, NeighbourState.PERMANENT, false, false);
  }

  /** An address for which this host answers ARP or neighbour solicitations on the link. */
  public static Neighbour proxy(Device device, IpAddress address) {
    return new Neighbour(device, address, null, NeighbourState.NONE, true, false);
  }

  public Neighbour state(NeighbourState state) {
    return new Neighbour(device, address, mac, state, proxy, router);
  }

  /** Marks an IPv6 neighbour as a router. */
  public Neighbour asRouter() {
    return new Neighbour(device, address, mac, state, proxy, true);
  }

  public IpFamily family() {
    return IpFamily.of(address);
  }

  /** As in {@code 10.0.0.1 lladdr 02:00:00:00:00:01 dev eth0 permanent}. */
  @Override
  public String toString() {
    return (proxy ? "proxy " : "")
        + address
        + (mac == null ? "" : " lladdr " + mac)
        + " dev "
        + device
        + (router ? " router" : "")
        + (proxy ? "" : " " + state);
  }
}
