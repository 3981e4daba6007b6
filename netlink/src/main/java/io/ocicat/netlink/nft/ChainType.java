package io.ocicat.netlink.nft;

import io.ocicat.netlink.linux.NetlinkException;

/** What a base chain may do to packets. */
public enum ChainType {
  FILTER("filter"),
  /** Sees the first packet of each connection only; the rest follows it. */
  NAT("nat"),
  /** Like filter, but a packet it changed (its mark, say) is routed anew. Hook output only. */
  ROUTE("route");

  private final String word;

  ChainType(String word) {
    this.word = word;
  }

  static ChainType of(String word) {
    for (ChainType type : values()) {
      if (type.word.equals(word)) {
        return type;
      }
    }
    throw NetlinkException.malformed("chain type \"" + word + "\" is unknown");
  }

  @Override
  public String toString() {
    return word;
  }
}
