package io.ocicat.netlink.nft;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.Topic;

/**
 * The generation of the namespace's nf_tables: a number that grows with every transaction of any
 * process. Reads between two equal numbers are consistent.
 *
 * @param id wraps around after 2³² transactions
 * @param process the name of the process that made the last one
 */
public record Generation(int id, int pid, String process) {
  private static final int ID = 1;
  private static final int PROCESS_ID = 2;
  private static final int PROCESS_NAME = 3;

  private static final int GROUP_NFTABLES = 7;

  /** Transactions of any process, each announced when it is in force. */
  public static final Topic<Generation> CHANGES =
      Topic.of(
          Protocol.NETFILTER,
          Nft.NEW_GENERATION,
          Nft.NEW_GENERATION,
          Generation::read,
          GROUP_NFTABLES);

  public static NetlinkQuery<Generation> current() {
    return NetlinkQuery.one(
        Nft.GET_GENERATION,
        Nft.body(Nft.ANY_FAMILY, _ -> {}),
        Generation::read,
        () -> "get the generation of nf_tables");
  }

  static Generation read(NetlinkMessage message) {
    Attributes attributes = Nft.attributes(message);
    return new Generation(
        attributes.be32(ID, 0), attributes.be32(PROCESS_ID, 0), attributes.text(PROCESS_NAME, ""));
  }
}
