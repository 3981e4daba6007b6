package io.ocicat.agent.kernel;

import io.ocicat.agent.desired.DesiredState;
import io.ocicat.agent.desired.ForwardingKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.link.Fdb;
import io.ocicat.netlink.link.FdbEntry;
import io.ocicat.netlink.link.Link;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The forwarding entries of the VXLAN devices: which node a tunnel's MAC address is at. */
record ForwardingTable(NetlinkSocket net, LinkTable links, DesiredState desired)
    implements EntryTable<ForwardingKey, IpAddress> {
  @Override
  public String noun() {
    return "fdb entry";
  }

  @Override
  public Map<ForwardingKey, IpAddress> read() {
    Map<ForwardingKey, IpAddress> entries = new HashMap<>();
    for (String name : desired.tunnels()) {
      Optional<Link> device = links.find(name);
      if (device.isPresent() && desired.ownsLink(name)) {
        for (FdbEntry entry : net.list(Fdb.of(device.get().index()))) {
          keyOf(entry).ifPresent(key -> entries.put(key, destinationOf(entry)));
        }
      }
    }
    return entries;
  }

  /** The key of an entry that an agent owns. */
  Optional<ForwardingKey> keyOf(FdbEntry entry) {
    String device = links.name(entry.link());
    boolean ours =
        entry.self()
            && entry.state() == FdbEntry.State.PERMANENT
            && entry.destination() != null
            && desired.ownsLink(device);
    return ours ? Optional.of(new ForwardingKey(device, entry.mac())) : Optional.empty();
  }

  static IpAddress destinationOf(FdbEntry entry) {
    return Objects.requireNonNull(entry.destination());
  }

  @Override
  public String device(ForwardingKey key) {
    return key.device();
  }

  @Override
  public NetlinkRequest replace(int link, ForwardingKey key, IpAddress destination) {
    return Fdb.replace(FdbEntry.onSelf(link, key.mac()).to(destination));
  }

  @Override
  public NetlinkRequest delete(int link, ForwardingKey key, IpAddress destination) {
    return Fdb.delete(FdbEntry.onSelf(link, key.mac()).to(destination));
  }
}
