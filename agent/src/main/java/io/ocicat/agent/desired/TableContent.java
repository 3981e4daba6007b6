package io.ocicat.agent.desired;

import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.TableId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All that an nf_tables table should contain.
 *
 * @param sets with their elements
 * @param chains with their rules, in order; a chain comes after those it jumps to
 */
public record TableContent(
    TableId table, Map<NamedSet, Set<Element>> sets, Map<Chain, List<Rule>> chains) {
  public TableContent {
    sets = Collections.unmodifiableMap(new LinkedHashMap<>(sets));
    chains = Collections.unmodifiableMap(new LinkedHashMap<>(chains));
  }

  public static ChainId idOf(Chain chain) {
    return switch (chain) {
      case Chain.Regular regular -> regular.id();
      case Chain.Base base -> base.id();
    };
  }
}
