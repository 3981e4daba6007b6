package io.ocicat.netlink.nft;

import io.ocicat.netlink.linux.NetlinkException;

/** The type of a base chain: filter, nat or route. */
public enum ChainType {
  FILTER("filter"),
  /** Sees only the first packet of each connection; the others get the same translation. */
  NAT("nat"),
  /**
   * Like filter, but a packet whose mark (for instance) it changed is routed again. Hook output
   * only.
   */
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
