package io.ocicat.cli.install;

import io.ocicat.netlink.NetlinkException;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.Family;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.ns.NetNs;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** The containers that our bridge keeps to their hardware addresses ({@code macspoofchk}). */
final class SpoofChecks {
  private static final TableId TABLE = new TableId(Family.BRIDGE, "ocicat_macspoofchk");

  private SpoofChecks() {}

  /** The networks they are on. */
  static Set<String> networks(Path netns) {
    Set<String> networks = new TreeSet<>();
    try (NetNs host = NetNs.open(netns);
        NetlinkSocket nft = NetlinkSocket.open(Protocol.NETFILTER, host)) {
      nft.list(Sets.in(TABLE)).stream()
          .flatMap(set -> nft.list(Elements.in(set)).stream())
          .map(element -> element.comment())
          .filter(label -> label.contains("/"))
          .forEach(label -> networks.add(label.substring(0, label.indexOf('/'))));
    } catch (NetlinkException _) {
      return networks; // A kernel without nf_tables for bridges has none.
    }
    return networks;
  }
}
