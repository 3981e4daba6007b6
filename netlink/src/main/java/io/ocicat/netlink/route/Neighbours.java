package io.ocicat.netlink.route;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.Topic;
import org.jspecify.annotations.Nullable;

/** Requests and queries about neighbours: the ARP and IPv6 neighbour tables and their proxies. */
public final class Neighbours {
  private static final int RTM_NEWNEIGH = 28;
  private static final int RTM_DELNEIGH = 29;
  private static final int RTM_GETNEIGH = 30;
  private static final int GROUP = 3;

  /** Neighbours and proxy entries that appear, change or go. */
  public static final Topic<Neighbour> CHANGES =
      Topic.of(RTM_NEWNEIGH, RTM_DELNEIGH, NeighbourMessage::read, GROUP)
          // Bridges announce their forwarding entries by the same messages.
          .only(FamilyHeader::isIp);

  private Neighbours() {}

  /** Adds an entry; EEXIST when there is one for the address. An existing proxy entry is kept. */
  public static NetlinkRequest add(Neighbour neighbour) {
    return write("add", NetlinkRequest.CREATE | NetlinkRequest.EXCLUSIVE, neighbour);
  }

  public static NetlinkRequest replace(Neighbour neighbour) {
    return write("replace", NetlinkRequest.CREATE | NetlinkRequest.REPLACE, neighbour);
  }

  /** Deletes the entry for the address on the link; ENOENT when there is none. */
  public static NetlinkRequest delete(Neighbour neighbour) {
    return NetlinkRequest.of(
        RTM_DELNEIGH,
        0,
        out -> NeighbourMessage.write(out, neighbour),
        () -> "delete neighbour " + neighbour);
  }

  /** All neighbours, without the proxy entries. */
  public static NetlinkQuery<Neighbour> list() {
    return list(null, null, false, "list neighbours");
  }

  public static NetlinkQuery<Neighbour> list(IpFamily family) {
    return list(family, null, false, "list " + family + " neighbours");
  }

  public static NetlinkQuery<Neighbour> list(Device device) {
    return list(null, device, false, "list neighbours dev " + device);
  }

  public static NetlinkQuery<Neighbour> proxies() {
    return list(null, null, true, "list proxy neighbours");
  }

  public static NetlinkQuery<Neighbour> proxies(Device device) {
    return list(null, device, true, "list proxy neighbours dev " + device);
  }

  private static NetlinkQuery<Neighbour> list(
      @Nullable IpFamily family, @Nullable Device device, boolean proxies, String operation) {
    return NetlinkQuery.all(
            RTM_GETNEIGH,
            out -> NeighbourMessage.writeFilter(out, family, device, proxies),
            NeighbourMessage::read,
            () -> operation)
        .only(FamilyHeader::isIp)
        // Kernels before 4.20 do not filter proxies by link.
        .where(neighbour -> device == null || neighbour.device().equals(device));
  }

  private static NetlinkRequest write(String verb, int flags, Neighbour neighbour) {
    return NetlinkRequest.of(
        RTM_NEWNEIGH,
        flags,
        out -> NeighbourMessage.write(out, neighbour),
        () -> verb + " neighbour " + neighbour);
  }
}
