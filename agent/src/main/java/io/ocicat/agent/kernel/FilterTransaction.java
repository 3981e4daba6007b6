package io.ocicat.agent.kernel;

import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.nft.RenderedChain;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.SetId;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The requests of one change of the table, in the order in which one may refer to what another
 * makes: new sets and chains, then rules and elements, last what nothing refers to any more.
 */
final class FilterTransaction {
  private final List<NetlinkRequest> tables = new ArrayList<>();
  private final List<NetlinkRequest> newSets = new ArrayList<>();
  private final List<NetlinkRequest> newChains = new ArrayList<>();
  private final List<NetlinkRequest> flushes = new ArrayList<>();
  private final List<NetlinkRequest> removals = new ArrayList<>();
  private final List<NetlinkRequest> additions = new ArrayList<>();
  private final List<NetlinkRequest> rules = new ArrayList<>();
  private final List<NetlinkRequest> oldChains = new ArrayList<>();
  private final List<NetlinkRequest> oldSets = new ArrayList<>();
  private final List<NetlinkRequest> oldTables = new ArrayList<>();
  private final IdentityHashMap<NetlinkRequest, RuleListId> origins = new IdentityHashMap<>();
  private final Set<String> touched = new LinkedHashSet<>();
  private final List<Runnable> onSuccess = new ArrayList<>();

  /** A request about the filter's own table. */
  void table(NetlinkRequest request) {
    tables.add(request);
  }

  void removeTable(TableId other) {
    oldTables.add(Tables.delete(other));
  }

  void addSet(NamedSet set) {
    newSets.add(Sets.add(set));
    touched.add("set " + set.id().name());
  }

  void addElements(NamedSet set, Collection<Element> elements) {
    additions.addAll(Elements.addAll(set, elements));
    touch(set, elements);
  }

  void removeElements(NamedSet set, Collection<Element> elements) {
    removals.addAll(Elements.deleteAll(set, elements));
    touch(set, elements);
  }

  private void touch(NamedSet set, Collection<Element> elements) {
    if (!elements.isEmpty()) {
      touched.add("set " + set.id().name());
    }
  }

  void addChain(RenderedChain chain) {
    newChains.add(Chains.add(chain.content().chain()));
    addRules(chain);
  }

  void replaceRules(RenderedChain chain) {
    flushes.add(Rules.flush(chain.content().chain().id()));
    addRules(chain);
  }

  private void addRules(RenderedChain chain) {
    touched.add("chain " + chain.name());
    for (Rule rule : chain.rules()) {
      NetlinkRequest request = Rules.append(rule);
      rules.add(request);
      chain.origin().ifPresent(list -> origins.put(request, list));
    }
  }

  void removeChain(ChainId id) {
    flushes.add(Rules.flush(id));
    oldChains.add(Chains.delete(id));
    touched.add("chain " + id.name());
  }

  void removeSet(SetId id) {
    oldSets.add(Sets.delete(id));
    touched.add("set " + id.name());
  }

  /** To be done when the kernel has made the changes. */
  void then(Runnable action) {
    onSuccess.add(action);
  }

  void succeeded() {
    onSuccess.forEach(Runnable::run);
  }

  List<NetlinkRequest> requests() {
    return Stream.of(
            tables, newSets, newChains, flushes, removals, additions, rules, oldChains, oldSets,
            oldTables)
        .flatMap(List::stream)
        .toList();
  }

  /** How many rules are added, and how many chains emptied. */
  int ruleOperations() {
    return rules.size() + flushes.size();
  }

  /** The rule list that a request came from. */
  Optional<RuleListId> origin(NetlinkRequest request) {
    return Optional.ofNullable(origins.get(request));
  }

  boolean isAboutTable(NetlinkRequest request) {
    return tables.stream().anyMatch(one -> one == request);
  }

  /** The chains and sets that it changes. */
  List<String> touched() {
    return List.copyOf(touched);
  }
}
