package io.ocicat.agent.kernel;

import io.ocicat.agent.desired.LinkNeighbour;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Neighbour;
import io.ocicat.netlink.route.NeighbourState;
import io.ocicat.netlink.route.Neighbours;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Neighbours: the container ends of workloads, and the other ends of VXLAN tunnels. Only permanent
 * entries are an agent's.
 */
record NeighbourTable(
    NetlinkSocket net, LinkTable links, Predicate<String> isTunnel, Predicate<String> isWorkload)
    implements EntryTable<LinkNeighbour, MacAddress> {
  @Override
  public String noun() {
    return "neighbour";
  }

  @Override
  public Map<LinkNeighbour, MacAddress> read() {
    Map<LinkNeighbour, MacAddress> entries = new HashMap<>();
    for (Neighbour neighbour : net.list(Neighbours.list())) {
      keyOf(neighbour).ifPresent(key -> entries.put(key, macOf(neighbour)));
    }
    return entries;
  }

  /** The key of an entry that an agent owns. */
  Optional<LinkNeighbour> keyOf(Neighbour neighbour) {
    String device = links.name(neighbour.device().index());
    boolean ours =
        neighbour.state().equals(NeighbourState.PERMANENT)
            && neighbour.mac() != null
            && !neighbour.address().isMulticast()
            && (isTunnel.test(device)
                || (isWorkload.test(device) && neighbour.family() == IpFamily.V4));
    return ours ? Optional.of(new LinkNeighbour(device, neighbour.address())) : Optional.empty();
  }

  /** The key of any entry: one that is deleted is not permanent any more when it is reported. */
  LinkNeighbour anyKeyOf(Neighbour neighbour) {
    return new LinkNeighbour(links.name(neighbour.device().index()), neighbour.address());
  }

  static MacAddress macOf(Neighbour neighbour) {
    MacAddress mac = neighbour.mac();
    if (mac == null) {
      throw new IllegalArgumentException("neighbour " + neighbour + " has no MAC address");
    }
    return mac;
  }

  @Override
  public String device(LinkNeighbour key) {
    return key.device();
  }

  @Override
  public NetlinkRequest replace(int link, LinkNeighbour key, MacAddress mac) {
    return Neighbours.replace(entry(link, key, mac));
  }

  @Override
  public NetlinkRequest delete(int link, LinkNeighbour key, MacAddress mac) {
    return Neighbours.delete(entry(link, key, mac));
  }

  private static Neighbour entry(int link, LinkNeighbour key, MacAddress mac) {
    return Neighbour.permanent(Device.of(link, key.device()), key.address(), mac);
  }
}
