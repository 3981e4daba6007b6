package io.ocicat.agent.flannel;

import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.ns.NetNs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Looks for the iptables chains that a flanneld has left on this node: their rules still work, and
 * iptables is not ours to change. Chains of iptables-legacy cannot be seen.
 */
final class FormerRules {
  private static final List<String> NAMES = List.of("FLANNEL-POSTRTG", "FLANNEL-FWD");

  private FormerRules() {}

  /** A line that names them and says how to remove them; empty when there are none. */
  static Optional<String> find(NetNs host) {
    List<String> found = new ArrayList<>();
    List<String> commands = new ArrayList<>();
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.NETFILTER, host)) {
      for (TableFamily family : List.of(TableFamily.IP, TableFamily.IP6)) {
        for (String table : List.of("nat", "filter")) {
          for (Chain chain : chains(net, new TableId(family, table))) {
            String name = name(chain);
            if (NAMES.contains(name)) {
              found.add("%s of %s %s".formatted(name, family, table));
              commands.add(
                  "%s -t %s -D %s -j %s"
                      .formatted(
                          family == TableFamily.IP ? "iptables" : "ip6tables",
                          table,
                          table.equals("nat") ? "POSTROUTING" : "FORWARD",
                          name));
            }
          }
        }
      }
    }
    return found.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "a flanneld has left rules of iptables that are still in force (%s): remove them with %s"
                .formatted(String.join(", ", found), String.join("; ", commands)));
  }

  private static List<Chain> chains(NetlinkSocket net, TableId table) {
    try {
      return net.list(Chains.in(table));
    } catch (NetlinkException e) {
      if (e.is(Errno.ENOENT) || e.is(Errno.EOPNOTSUPP)) {
        return List.of();
      }
      throw e;
    }
  }

  private static String name(Chain chain) {
    return switch (chain) {
      case Chain.Regular regular -> regular.id().name();
      case Chain.Base base -> base.id().name();
    };
  }
}
