package io.ocicat.netlink;

import java.util.ArrayList;
import java.util.List;

/**
 * The pair of messages that make everything between them one nf_tables transaction
 * (linux/netfilter/nfnetlink.h).
 */
final class NetfilterBatch {
  private static final int NFTABLES = 10;

  static final Request BEGIN = bracket(0x10, "begin an nf_tables transaction");
  static final Request END = bracket(0x11, "end an nf_tables transaction");

  private NetfilterBatch() {}

  static List<Request> opened(List<Request> requests) {
    List<Request> opened = new ArrayList<>(requests.size() + 1);
    opened.add(BEGIN);
    opened.addAll(requests);
    return opened;
  }

  private static Request bracket(int type, String operation) {
    return Request.of(type, 0, out -> out.field8(0).field8(0).fieldBe16(NFTABLES), () -> operation);
  }
}
