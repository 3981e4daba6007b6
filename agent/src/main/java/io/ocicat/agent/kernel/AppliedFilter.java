package io.ocicat.agent.kernel;

import io.ocicat.agent.nft.ChainContent;
import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.agent.nft.RenderedChain;
import io.ocicat.agent.nft.RenderedTable;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.NamedSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What the kernel has of the filter's table, as far as we know, and the requests that bring it to a
 * rendered table. For one thread.
 */
final class AppliedFilter {
  private final MemberSetReconciler members;
  private final Map<String, ChainContent> chains = new HashMap<>();
  private final Set<String> setNames = new HashSet<>();
  private Map<NamedSet, Set<Element>> sets = new HashMap<>();

  AppliedFilter(MemberSetReconciler members) {
    this.members = members;
  }

  /** The kernel has this, and nothing else. */
  void replace(InstalledFilter installed, RenderedTable wanted) {
    chains.clear();
    chains.putAll(installed.chains());
    sets = new HashMap<>();
    installed.sets().values().forEach(one -> sets.put(one.set(), one.elements()));
    setNames.clear();
    setNames.addAll(installed.sets().keySet());
    members.adopt(installed.sets(), wanted.members());
  }

  /** Whether what has our names is what we mean by them. */
  boolean isUpdatable(RenderedTable table) {
    boolean chainsFit =
        table.chains().values().stream()
            .allMatch(
                chain -> {
                  ChainContent there = chains.get(chain.name());
                  return there == null || there.chain().equals(chain.content().chain());
                });
    Set<NamedSet> wanted = new HashSet<>(table.sets().keySet());
    table.members().forEach(id -> members.sets(id).forEach(wanted::add));
    return chainsFit
        && wanted.stream()
            .allMatch(set -> !setNames.contains(set.id().name()) || sets.containsKey(set));
  }

  /** Adds the difference of everything but members that come and go. */
  void addDifference(RenderedTable table, FilterTransaction out) {
    addChains(table, out);
    addSets(table, out);
    members.addSets(table.members(), out);
    removeSets(table, out);
  }

  private void addChains(RenderedTable table, FilterTransaction out) {
    for (RenderedChain chain : table.chains().values()) {
      ChainContent there = chains.get(chain.name());
      if (there == null) {
        out.addChain(chain);
      } else if (!there.equals(chain.content())) {
        out.replaceRules(chain);
      }
    }
    chains.forEach(
        (name, content) -> {
          if (!table.chains().containsKey(name)) {
            out.removeChain(content.chain().id());
          }
        });
    out.then(
        () -> {
          chains.clear();
          table.chains().forEach((name, chain) -> chains.put(name, chain.content()));
        });
  }

  private void addSets(RenderedTable table, FilterTransaction out) {
    if (sets.equals(table.sets())) {
      return;
    }
    table
        .sets()
        .forEach(
            (set, elements) -> {
              Set<Element> there = sets.get(set);
              if (there == null) {
                out.addSet(set);
                there = Set.of();
              }
              Set<Element> before = there;
              out.removeElements(
                  set, before.stream().filter(one -> !elements.contains(one)).toList());
              out.addElements(set, elements.stream().filter(one -> !before.contains(one)).toList());
            });
    out.then(() -> sets = table.sets());
  }

  private void removeSets(RenderedTable table, FilterTransaction out) {
    Set<String> wanted = new HashSet<>(members.names(table.members()));
    table.sets().keySet().forEach(set -> wanted.add(set.id().name()));
    for (String name : setNames) {
      if (!wanted.contains(name)) {
        out.removeSet(PolicyTable.ID.set(name));
      }
    }
    out.then(
        () -> {
          setNames.clear();
          setNames.addAll(wanted);
        });
  }
}
