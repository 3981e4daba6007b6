package io.ocicat.agent.kernel;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.conntrack.Conntrack;
import io.ocicat.netlink.conntrack.ConntrackEntry;
import io.ocicat.netlink.conntrack.ConntrackFilter;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Deletes the kernel's connections of addresses that another workload has now, or none: they would
 * keep the translation, and the accepted state, of the one before. The kernel walks its whole table
 * for a listing, so one listing serves all addresses of a family that wait; it happens on a thread
 * of its own, after the routes have changed, and delays none.
 *
 * <p>It happens once and at once: later, the connections may be those of the address's new owner.
 */
final class StaleConnections implements AutoCloseable {
  private final NetlinkSocket net;
  private final RepairLog log;
  private final BlockingQueue<Set<IpAddress>> queue = new LinkedBlockingQueue<>();
  private final Thread thread;

  StaleConnections(NetNs host, RepairLog log) {
    this.net = NetlinkSocket.open(Protocol.NETFILTER, host);
    this.log = log;
    this.thread = Thread.ofPlatform().name("agent-connections").daemon().start(this::deleteForEver);
  }

  /** Deletes the connections of these addresses soon. */
  void delete(Set<IpAddress> addresses) {
    if (!addresses.isEmpty()) {
      queue.add(addresses);
    }
  }

  private void deleteForEver() {
    try {
      while (true) {
        Set<IpAddress> all = new HashSet<>(queue.take());
        Set<IpAddress> more = queue.poll();
        while (more != null) {
          all.addAll(more);
          more = queue.poll();
        }
        for (IpFamily family : IpFamily.values()) {
          purge(family, all.stream().filter(one -> IpFamily.of(one) == family).toList());
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void purge(IpFamily family, List<IpAddress> addresses) {
    if (addresses.isEmpty()) {
      return;
    }
    Set<IpAddress> stale = Set.copyOf(addresses);
    try {
      Conntrack.purge(
          net, Conntrack.list(ConntrackFilter.of(family)).where(entry -> isOf(entry, stale)));
    } catch (NetlinkException e) {
      log.write("connections of %s stay: %s".formatted(addresses, e.getMessage()));
    }
  }

  /** Those that the address began, and those that really went to it. */
  private static boolean isOf(ConntrackEntry entry, Set<IpAddress> addresses) {
    return addresses.contains(entry.original().source())
        || addresses.contains(entry.reply().source());
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    net.close();
  }
}
