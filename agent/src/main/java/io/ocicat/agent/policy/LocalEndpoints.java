package io.ocicat.agent.policy;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.HostFilter;
import io.ocicat.agent.filter.WorkloadFilter;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.agent.policy.model.PolicyTier;
import io.ocicat.agent.policy.model.TieredPolicy;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The endpoints of this node, the policies that select them, and the filters that follow from both.
 * A change only notes which endpoints it touches; {@link #update} computes those.
 */
final class LocalEndpoints {
  private static final Comparator<PolicyMember.Workload> RANK =
      Comparator.comparing(PolicyMember.Workload::rank)
          .thenComparing(workload -> workload.key().namespace())
          .thenComparing(workload -> workload.key().name());

  private record Entry(LocalItem item, LabelClass<LocalItem, PolicyEntry> itsClass) {}

  private final DesiredFilter filter;
  private final RuleLists ruleLists;
  private final Function<String, PolicyTier> tierOf;
  private final LabelIndex<LocalItem, PolicyEntry> index;
  private final Map<ResourceKey, Entry> endpoints = new HashMap<>();
  private final Map<String, TreeMap<PolicyMember.Workload, Entry>> byInterface = new HashMap<>();
  private final Map<ResourceKey, PolicyEntry> policies = new HashMap<>();
  private final Map<ResourceKey, SelectorUsers<LocalItem, PolicyEntry>> selectors = new HashMap<>();
  private final Set<String> touchedInterfaces = new HashSet<>();
  private final Set<ResourceKey> touchedHosts = new HashSet<>();

  LocalEndpoints(
      DesiredFilter filter,
      RuleLists ruleLists,
      Function<String, PolicyTier> tierOf,
      Function<String, Map<String, String>> profileLabels) {
    this.filter = filter;
    this.ruleLists = ruleLists;
    this.tierOf = tierOf;
    this.index =
        new LabelIndex<>(
            profileLabels,
            new LabelIndex.Listener<>() {
              @Override
              public void added(PolicyEntry policy, LocalItem item) {
                touch(item.endpoint());
              }

              @Override
              public void removed(PolicyEntry policy, LocalItem item) {
                touch(item.endpoint());
              }
            });
  }

  void touch(PolicyMember endpoint) {
    switch (endpoint) {
      case PolicyMember.Workload workload -> touchedInterfaces.add(workload.interfaceName());
      case PolicyMember.HostEnd host -> touchedHosts.add(host.key());
      case PolicyMember.Networks _ -> {}
    }
  }

  void touchAll() {
    endpoints.values().forEach(entry -> touch(entry.item().endpoint()));
  }

  void put(PolicyMember endpoint) {
    Entry before = endpoints.get(endpoint.key());
    if (before != null && before.item().endpoint().equals(endpoint)) {
      return;
    }
    remove(endpoint.key());
    LocalItem item = new LocalItem(endpoint);
    Entry entry = new Entry(item, index.add(endpoint.labels(), endpoint.profiles(), item));
    endpoints.put(endpoint.key(), entry);
    if (endpoint instanceof PolicyMember.Workload workload) {
      byInterface
          .computeIfAbsent(workload.interfaceName(), _ -> new TreeMap<>(RANK))
          .put(workload, entry);
    }
    touch(endpoint);
  }

  void remove(ResourceKey key) {
    Entry before = endpoints.remove(key);
    if (before == null) {
      return;
    }
    index.remove(before.itsClass(), before.item());
    if (before.item().endpoint() instanceof PolicyMember.Workload workload) {
      Map<PolicyMember.Workload, Entry> claims =
          Objects.requireNonNull(byInterface.get(workload.interfaceName()));
      claims.remove(workload);
      if (claims.isEmpty()) {
        byInterface.remove(workload.interfaceName());
      }
    }
    touch(before.item().endpoint());
  }

  /** Touches what the policy selects before or after. */
  void putPolicy(TieredPolicy policy) {
    PolicyEntry entry = policies.get(policy.key());
    SelectorUsers<LocalItem, PolicyEntry> before = selectors.get(policy.key());
    if (entry == null || before == null) {
      PolicyEntry added = new PolicyEntry(policy);
      policies.put(policy.key(), added);
      use(policy, added);
    } else if (!entry.policy().equals(policy)) {
      entry.setPolicy(policy);
      before.forEachItem(item -> touch(item.endpoint()));
      if (!before.selector().equals(policy.selector())) {
        index.removeUser(before, entry);
        use(policy, entry);
      }
    }
  }

  private void use(TieredPolicy policy, PolicyEntry entry) {
    SelectorUsers<LocalItem, PolicyEntry> users = index.addUser(policy.selector(), entry);
    selectors.put(policy.key(), users);
    users.forEachItem(item -> touch(item.endpoint()));
  }

  Optional<TieredPolicy> removePolicy(ResourceKey key) {
    PolicyEntry entry = policies.remove(key);
    SelectorUsers<LocalItem, PolicyEntry> users = selectors.remove(key);
    if (entry != null && users != null) {
      users.forEachItem(item -> touch(item.endpoint()));
      index.removeUser(users, entry);
    }
    return Optional.ofNullable(entry).map(PolicyEntry::policy);
  }

  Set<ResourceKey> policies() {
    return Set.copyOf(policies.keySet());
  }

  void profileChanged(String profile) {
    index.profileChanged(profile);
  }

  /** Endpoints that ask for something that only the administrator of the node may grant. */
  List<PolicyMember.Workload> spoofing() {
    return endpoints.values().stream()
        .map(entry -> entry.item().endpoint())
        .filter(PolicyMember.Workload.class::isInstance)
        .map(PolicyMember.Workload.class::cast)
        .filter(workload -> !workload.spoofable().isEmpty())
        .toList();
  }

  void update(boolean sourceSpoofing) {
    Map<LabelClass<LocalItem, PolicyEntry>, PolicyOrder> orders = new HashMap<>();
    for (String interfaceName : touchedInterfaces) {
      TreeMap<PolicyMember.Workload, Entry> claims = byInterface.get(interfaceName);
      if (claims == null) {
        removeWorkload(interfaceName);
        continue;
      }
      PolicyMember.Workload workload = claims.firstKey();
      List<IpPrefix> spoofable = sourceSpoofing ? workload.spoofable() : List.of();
      PolicyOrder order = order(claims.firstEntry().getValue(), orders);
      setWorkload(EndpointFilters.workload(workload, order, spoofable));
    }
    for (ResourceKey key : touchedHosts) {
      Entry entry = endpoints.get(key);
      if (entry != null && entry.item().endpoint() instanceof PolicyMember.HostEnd host) {
        setHost(EndpointFilters.host(host, order(entry, orders)));
      } else {
        removeHost(key.name());
      }
    }
    touchedInterfaces.clear();
    touchedHosts.clear();
  }

  private PolicyOrder order(
      Entry entry, Map<LabelClass<LocalItem, PolicyEntry>, PolicyOrder> orders) {
    return orders.computeIfAbsent(
        entry.itsClass(),
        itsClass ->
            new PolicyOrder(
                itsClass.matches().stream()
                    .flatMap(selector -> selector.users().stream())
                    .map(PolicyEntry::policy)
                    .toList(),
                tierOf));
  }

  private void setWorkload(WorkloadFilter wanted) {
    WorkloadFilter before = filter.workloads().get(wanted.interfaceName());
    if (!wanted.equals(before)) {
      ruleLists.acquire(EndpointFilters.rulesOf(wanted));
      filter.setWorkload(wanted);
      ruleLists.release(before == null ? Stream.empty() : EndpointFilters.rulesOf(before));
    }
  }

  private void removeWorkload(String interfaceName) {
    WorkloadFilter before = filter.workloads().get(interfaceName);
    if (before != null) {
      filter.removeWorkload(interfaceName);
      ruleLists.release(EndpointFilters.rulesOf(before));
    }
  }

  private void setHost(HostFilter wanted) {
    HostFilter before = filter.hosts().get(wanted.name());
    if (!wanted.equals(before)) {
      ruleLists.acquire(EndpointFilters.rulesOf(wanted));
      filter.setHost(wanted);
      ruleLists.release(before == null ? Stream.empty() : EndpointFilters.rulesOf(before));
    }
  }

  private void removeHost(String name) {
    HostFilter before = filter.hosts().get(name);
    if (before != null) {
      filter.removeHost(name);
      ruleLists.release(EndpointFilters.rulesOf(before));
    }
  }
}
