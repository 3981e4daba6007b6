package io.ocicat.agent.nft;

import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.Statement;
import java.util.List;

/** How packets are allowed and denied, which depends on the place where the kernel asks. */
enum FilterHook {
  /** Where packets are delivered, forwarded or sent. */
  FILTER(""),
  /** After the destination of the host's own packets was translated: nothing can be rejected. */
  POSTROUTING("post"),
  /** Before the destination is translated; what is allowed here is not asked about again. */
  PRE_DNAT("dnat"),
  /** Before connection tracking; what is allowed here is not tracked, nor asked about again. */
  UNTRACKED("raw");

  private final String word;

  FilterHook(String word) {
    this.word = word;
  }

  /** Told apart in the names of chains; the same word where the rules are the same. */
  String word(FilterSettings settings) {
    return this == POSTROUTING && !settings.reject() ? FILTER.word : word;
  }

  List<Clause> allow() {
    return switch (this) {
      case FILTER, POSTROUTING -> List.of(Statement.accept());
      case PRE_DNAT -> List.of(BaseChains.markAllowed(), Statement.accept());
      case UNTRACKED -> List.of(BaseChains.markAllowed(), Statement.notrack(), Statement.accept());
    };
  }

  Clause deny(FilterSettings settings) {
    return this == FILTER && settings.reject() ? Statement.reject() : Statement.drop();
  }
}
