package io.ocicat.netlink.conntrack;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests and queries about tracked connections, for a socket of the netfilter protocol. */
public final class Conntrack {
  private static final int SUBSYSTEM = 1 << 8;
  private static final int CT_GET = SUBSYSTEM | 1;
  private static final int CT_DELETE = SUBSYSTEM | 2;

  private Conntrack() {}

  /** The connections that match; the kernel sends few others, or none. */
  public static NetlinkQuery<ConntrackEntry> list(ConntrackFilter filter) {
    return NetlinkQuery.all(
            CT_GET,
            out -> ConntrackMessage.writeFilter(out, filter),
            ConntrackMessage::read,
            () -> "list " + filter)
        .only(ConntrackMessage::isIp)
        .where(filter::matches);
  }

  /**
   * Deletes this connection; ENOENT when it is gone, even if a later one between the same endpoints
   * has replaced it under another id.
   */
  public static NetlinkRequest delete(ConntrackEntry connection) {
    return NetlinkRequest.of(
        CT_DELETE,
        0,
        out -> ConntrackMessage.writeName(out, connection),
        () -> "delete connection " + connection);
  }

  /** Deletes the connection whose original packets look like this; ENOENT when there is none. */
  public static NetlinkRequest deleteByOriginal(Tuple tuple) {
    return delete(ConntrackMessage.CTA_TUPLE_ORIG, tuple, "with original packets ");
  }

  /** Deletes the connection whose replies look like this; ENOENT when there is none. */
  public static NetlinkRequest deleteByReply(Tuple tuple) {
    return delete(ConntrackMessage.CTA_TUPLE_REPLY, tuple, "with replies ");
  }

  private static NetlinkRequest delete(int type, Tuple tuple, String which) {
    return NetlinkRequest.of(
        CT_DELETE,
        0,
        out -> ConntrackMessage.writeName(out, type, tuple),
        () -> "delete connection " + which + tuple);
  }

  /** Deletes all connections of the namespace. */
  public static NetlinkRequest flush() {
    return flush(null, "delete all connections");
  }

  public static NetlinkRequest flush(IpFamily family) {
    return flush(family, "delete all " + family + " connections");
  }

  private static NetlinkRequest flush(@Nullable IpFamily family, String operation) {
    return NetlinkRequest.of(
        CT_DELETE, 0, out -> ConntrackMessage.writeFlush(out, family), () -> operation);
  }

  /**
   * Deletes the connections that match. Call it after the rules have changed: a packet that arrives
   * in between would start its connection again under the old ones. A connection that ends by
   * itself meanwhile is not an error.
   *
   * @return how many were deleted
   */
  public static int purge(NetlinkSocket net, ConntrackFilter filter) {
    return purge(net, list(filter));
  }

  /**
   * The same for the results of a query. Each query makes the kernel walk its whole table, so one
   * for several ports, with {@link NetlinkQuery#where}, is better than several for one each.
   */
  public static int purge(NetlinkSocket net, NetlinkQuery<ConntrackEntry> stale) {
    List<NetlinkRequest> deletions = net.list(stale).stream().map(Conntrack::delete).toList();
    int deleted = 0;
    NetlinkException first = null;
    for (RequestOutcome outcome : net.attempt(deletions)) {
      NetlinkException failure = outcome.failure().orElse(null);
      if (failure == null) {
        deleted++;
      } else if (first == null && !failure.is(Errno.ENOENT)) {
        first = failure;
      }
    }
    if (first != null) {
      throw first;
    }
    return deleted;
  }
}
