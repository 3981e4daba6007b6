package io.ocicat.netlink;

/**
 * The pair of messages that make everything between them one nf_tables transaction
 * (linux/netfilter/nfnetlink.h).
 */
final class NetfilterBatch {
  private static final int NFTABLES = 10;
  private static final int BEGIN = 0x10;
  private static final int GENERATION = 1;
  private static final String OPENING = "begin an nf_tables transaction";

  static final NetlinkRequest END =
      NetlinkRequest.of(0x11, 0, NetfilterBatch::header, () -> "end an nf_tables transaction");

  private NetfilterBatch() {}

  /** The request that opens a transaction. */
  static NetlinkRequest begin() {
    return NetlinkRequest.of(BEGIN, 0, NetfilterBatch::header, () -> OPENING);
  }

  /** The same for a transaction that the kernel rejects unless nf_tables is in this state. */
  static NetlinkRequest begin(int generation) {
    return NetlinkRequest.of(
        BEGIN,
        0,
        out -> {
          header(out);
          out.be32(GENERATION, generation);
        },
        () -> OPENING);
  }

  static boolean isBegin(NetlinkRequest request) {
    return request.type() == BEGIN;
  }

  private static void header(MessageWriter out) {
    out.field8(0).field8(0).fieldBe16(NFTABLES);
  }
}
