package io.ocicat.plugins.calico;

import io.ocicat.cni.NetworkName;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.plugins.net.Net;

/**
 * Whether what leaves the pools of a network is masqueraded by us, which Calico leaves to Felix.
 */
public final class NatOutgoingHandOver {
  private NatOutgoingHandOver() {}

  public static boolean isOurs(Net host, NetworkName network) {
    return host.hasNfTables()
        && host.netfilter().list(Tables.all()).stream()
            .anyMatch(table -> table.id().equals(new NatOutgoingTable(host, network).id()));
  }
}
