package io.ocicat.agent.kernel;

import io.ocicat.agent.nft.ChainContent;
import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Sets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The filter's table as the kernel has it.
 *
 * @param chains by name
 * @param sets by name
 */
record InstalledFilter(Map<String, ChainContent> chains, Map<String, InstalledSet> sets) {

  /** A set with its elements. */
  record InstalledSet(NamedSet set, Set<Element> elements) {}

  static InstalledFilter none() {
    return new InstalledFilter(new HashMap<>(), new HashMap<>());
  }

  static InstalledFilter read(NetlinkSocket net) {
    InstalledFilter filter = none();
    for (NamedSet set : net.list(Sets.in(PolicyTable.ID))) {
      Set<Element> elements = new HashSet<>(net.list(Elements.in(set).noneWhen(Errno.ENOENT)));
      filter.sets.put(set.id().name(), new InstalledSet(set, elements));
    }
    Map<String, List<ChainContent.RuleContent>> rules = new HashMap<>();
    for (InstalledRule rule : net.list(Rules.in(PolicyTable.ID))) {
      rules
          .computeIfAbsent(rule.chain().name(), _ -> new ArrayList<>())
          .add(ChainContent.RuleContent.of(rule));
    }
    for (Chain chain : net.list(Chains.in(PolicyTable.ID))) {
      String name = chain.id().name();
      filter.chains.put(name, new ChainContent(chain, rules.getOrDefault(name, List.of())));
    }
    return filter;
  }
}
