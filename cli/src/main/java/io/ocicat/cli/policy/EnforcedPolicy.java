package io.ocicat.cli.policy;

import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.netlink.ns.NetNs;

/** Tells whether a node enforces policy. */
final class EnforcedPolicy {
  private EnforcedPolicy() {}

  /** Whether the node agent has made its table in the namespace of this thread. */
  static boolean isHere() {
    try (NetNs own = NetNs.current();
        NetlinkSocket socket = NetlinkSocket.open(Protocol.NETFILTER, own)) {
      return socket.list(Tables.all()).stream()
          .anyMatch(table -> table.id().equals(PolicyTable.ID));
    } catch (NetlinkException _) {
      return false;
    }
  }
}
