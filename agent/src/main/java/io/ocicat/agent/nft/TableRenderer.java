package io.ocicat.agent.nft;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.FilterChanges;
import io.ocicat.agent.filter.FilterRule;
import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.filter.HostFilter;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.filter.WorkloadFilter;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.NamedSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Renders the table of a {@link DesiredFilter}. It keeps the chains that it has rendered, so that a
 * change costs the rendering of what it touches; an unchanged chain is the same object again. For
 * one thread.
 */
public final class TableRenderer {
  private record HeadKey(EndpointRules rules, EndpointHook hook) {}

  private final Map<HeadKey, EndpointChains.Rendered> heads = new HashMap<>();
  private final Map<ListChains.Key, RenderedChain> lists = new HashMap<>();

  /** Whether a list has Pass rules, as the chains of endpoints have been rendered. */
  private final Map<RuleListId, Boolean> passes = new HashMap<>();

  private final Map<RuleListId, Set<ListChains.Key>> chainsOf = new HashMap<>();
  private final Set<RuleListId> changedLists = new HashSet<>();
  private boolean endpointsChanged = true;
  private FilterLinks lastLinks = new FilterLinks(Map.of(), Map.of(), Optional.empty());
  private Map<NamedSet, Set<Element>> lastDispatch = Map.of();
  private @Nullable RenderedTable last;
  private final Map<RuleListId, String> refused =
      new TreeMap<>(Comparator.comparing(RuleListId::toString));

  /** Forgets what these changes touch. */
  public void forget(FilterChanges changes) {
    if (changes.settings()) {
      heads.clear();
      lists.clear();
      refused.clear();
    }
    endpointsChanged |=
        changes.settings() || !changes.workloads().isEmpty() || !changes.hosts().isEmpty();
    refused.keySet().removeAll(changes.ruleLists());
    changes.ruleLists().forEach(this::forget);
  }

  private void forget(RuleListId list) {
    changedLists.add(list);
    chainsOf.getOrDefault(list, Set.of()).forEach(lists::remove);
  }

  /** The members of this set are in another set of the kernel now. */
  public void forget(MemberSetId set) {
    lists.values().stream()
        .filter(chain -> chain.members().contains(set))
        .flatMap(chain -> chain.origin().stream())
        .toList()
        .forEach(this::forget);
  }

  /** The kernel does not take the rules of this list: from now on it denies everything. */
  public void refuse(RuleListId list, String reason) {
    refused.put(list, reason);
    forget(list);
  }

  /** The lists whose rules cannot be written, and why. */
  public Map<RuleListId, String> refused() {
    return refused;
  }

  /** The tiers that cannot be written for some endpoint: too many with Pass rules come first. */
  public Set<String> unreachable() {
    return heads.values().stream()
        .flatMap(head -> head.unreachable().stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The whole table; empty before policy was computed for the first time. */
  public Optional<RenderedTable> render(DesiredFilter filter, FilterLinks links, MemberSets sets) {
    return filter.settings().map(settings -> new Pass(filter, links, sets, settings).render());
  }

  /** One rendering. */
  private final class Pass {
    private final DesiredFilter filter;
    private final FilterLinks links;
    private final MemberSets sets;
    private final FilterSettings settings;
    private final EndpointChains endpoints;
    private final Map<String, RenderedChain> chains = new HashMap<>();
    private final Dispatch dispatch = new Dispatch();
    private final Set<HeadKey> usedHeads = new HashSet<>();
    private final Set<ListChains.Key> usedLists = new HashSet<>();

    Pass(DesiredFilter filter, FilterLinks links, MemberSets sets, FilterSettings settings) {
      this.filter = filter;
      this.links = links;
      this.sets = sets;
      this.settings = settings;
      this.endpoints = new EndpointChains(settings, this::hasPass);
    }

    RenderedTable render() {
      RenderedTable table = renderLists().orElseGet(this::renderAll);
      last = table;
      lastLinks = links;
      endpointsChanged = false;
      changedLists.clear();
      return table;
    }

    /** Where only rules have changed, the rest stays as it is; empty where more has. */
    private Optional<RenderedTable> renderLists() {
      RenderedTable before = last;
      if (before == null || endpointsChanged || !links.equals(lastLinks)) {
        return Optional.empty();
      }
      chains.putAll(before.chains());
      boolean sameSets = true;
      for (RuleListId list : changedLists) {
        for (ListChains.Key key : chainsOf.getOrDefault(list, Set.of())) {
          RenderedChain now = renderList(key);
          lists.put(key, now);
          RenderedChain old = chains.put(now.name(), now);
          sameSets &=
              old != null
                  && old.constants().equals(now.constants())
                  && old.members().equals(now.members());
        }
      }
      if (changedLists.stream().anyMatch(this::isPassChanged)) {
        chains.clear();
        return Optional.empty();
      }
      return Optional.of(
          sameSets
              ? new RenderedTable(Map.copyOf(chains), before.sets(), before.members())
              : table(lastDispatch));
    }

    private boolean isPassChanged(RuleListId list) {
      Boolean before = passes.get(list);
      return before != null && before != hasPass(list);
    }

    private RenderedTable renderAll() {
      forgetHeadsOfChangedPasses();
      links.workloads().forEach(this::addWorkload);
      links.hosts().forEach((index, host) -> addHost(host, index));
      new BaseChains(settings, this::wildcard).chains().forEach(this::add);
      heads.keySet().retainAll(usedHeads);
      lists.keySet().retainAll(usedLists);
      chainsOf.clear();
      usedLists.forEach(key -> chainsOf.computeIfAbsent(key.list(), _ -> new HashSet<>()).add(key));
      lastDispatch = dispatch.sets();
      return table(lastDispatch);
    }

    private RenderedTable table(Map<NamedSet, Set<Element>> dispatched) {
      Map<NamedSet, Set<Element>> all = new HashMap<>(dispatched);
      Set<MemberSetId> members = new HashSet<>();
      chains
          .values()
          .forEach(
              chain -> {
                members.addAll(chain.members());
                all.putAll(chain.constants());
              });
      return new RenderedTable(Map.copyOf(chains), all, members);
    }

    /** Where a list has Pass rules for the first time, or not any more, its callers differ. */
    private void forgetHeadsOfChangedPasses() {
      if (changedLists.stream().anyMatch(this::isPassChanged)) {
        heads.clear();
      }
      passes.clear();
    }

    private boolean hasPass(RuleListId list) {
      if (refused.containsKey(list)) {
        return false;
      }
      for (FilterRule rule : filter.ruleLists().getOrDefault(list, List.of())) {
        if (rule.action() == PolicyAction.PASS) {
          return true;
        }
      }
      return false;
    }

    private void addWorkload(String name, int index) {
      WorkloadFilter workload = filter.workloads().get(name);
      if (workload != null) {
        addWorkload(workload, index);
      }
    }

    private void addWorkload(WorkloadFilter workload, int index) {
      dispatch.to(
          BaseChains.TO_WORKLOAD, index, head(workload.ingress(), EndpointHook.TO_WORKLOAD));
      dispatch.to(
          BaseChains.FROM_WORKLOAD, index, head(workload.egress(), EndpointHook.FROM_WORKLOAD));
      dispatch.to(BaseChains.RAW_WORKLOADS, index, source(workload));
      dispatch.add(BaseChains.WORKLOADS, index);
    }

    private String source(WorkloadFilter workload) {
      if (workload.spoofable().isEmpty()) {
        return BaseChains.CHECK_SOURCE.name();
      }
      RenderedChain chain = SpoofableChains.render(workload.spoofable());
      add(chain);
      return chain.name();
    }

    private void addHost(HostFilter host, int index) {
      dispatch.to(BaseChains.HOST_IN, index, head(host.ingress(), EndpointHook.HOST_IN));
      dispatch.to(BaseChains.HOST_OUT, index, head(host.egress(), EndpointHook.HOST_OUT));
      dispatch.to(
          BaseChains.HOST_TRANSLATED_OUT,
          index,
          head(host.egress(), EndpointHook.HOST_TRANSLATED_OUT));
      for (EndpointHook hook : HostRules.OPTIONAL.keySet()) {
        HostRules.find(host, hook)
            .ifPresentOrElse(
                rules -> dispatch.to(HostRules.OPTIONAL.get(hook), index, head(rules, hook)),
                () -> dispatch.accept(HostRules.OPTIONAL.get(hook), index));
      }
    }

    /** Untracked policy does not apply to it. */
    private String wildcard(EndpointHook hook) {
      return links
          .wildcard()
          .flatMap(host -> HostRules.find(host, hook))
          .map(rules -> head(rules, hook))
          .orElse("");
    }

    private String head(EndpointRules rules, EndpointHook hook) {
      HeadKey key = new HeadKey(rules, hook);
      EndpointChains.Rendered rendered = heads.get(key);
      if (rendered == null) {
        rendered = endpoints.render(rules, hook);
        heads.put(key, rendered);
      }
      if (usedHeads.add(key)) {
        rendered.chains().forEach(this::add);
        rendered.lists().forEach(this::addList);
      }
      return rendered.first();
    }

    private void addList(ListChains.Key key) {
      if (usedLists.add(key)) {
        RenderedChain chain = lists.get(key);
        if (chain == null) {
          chain = renderList(key);
          lists.put(key, chain);
        }
        passes.put(key.list(), hasPass(key.list()));
        add(chain);
      }
    }

    private RenderedChain renderList(ListChains.Key key) {
      if (refused.containsKey(key.list())) {
        return ListChains.closed(key, settings);
      }
      try {
        return ListChains.render(
            key, filter.ruleLists().getOrDefault(key.list(), List.of()), settings, sets);
      } catch (IllegalArgumentException e) {
        refused.put(key.list(), String.valueOf(e.getMessage()));
        return ListChains.closed(key, settings);
      }
    }

    private void add(RenderedChain chain) {
      chains.put(chain.name(), chain);
    }
  }
}
