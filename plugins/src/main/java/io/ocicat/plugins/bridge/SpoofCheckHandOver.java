package io.ocicat.plugins.bridge;

import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.Set;
import java.util.TreeSet;

/**
 * The containers that are kept to their hardware addresses ({@code macspoofchk}), which no Go
 * plugin takes over.
 */
public final class SpoofCheckHandOver {
  private SpoofCheckHandOver() {}

  /** The networks they are on. */
  public static Set<String> networks(NetnsSockets host) {
    Set<String> networks = new TreeSet<>();
    try {
      host.netfilter().list(Sets.in(SpoofCheck.TABLE)).stream()
          .flatMap(set -> host.netfilter().list(Elements.in(set)).stream())
          .map(element -> element.comment())
          .filter(label -> label.contains("/"))
          .forEach(label -> networks.add(label.substring(0, label.indexOf('/'))));
    } catch (NetlinkException _) {
      return networks; // A kernel without nf_tables for bridges has none.
    }
    return networks;
  }
}
