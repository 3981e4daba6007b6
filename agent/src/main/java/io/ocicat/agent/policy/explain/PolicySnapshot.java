package io.ocicat.agent.policy.explain;

import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.agent.policy.model.PolicyProfile;
import io.ocicat.agent.policy.model.PolicyResources;
import io.ocicat.agent.policy.model.PolicyTier;
import io.ocicat.agent.policy.model.ReadResource;
import io.ocicat.agent.policy.model.ServiceName;
import io.ocicat.agent.policy.model.ServiceSlice;
import io.ocicat.agent.policy.model.SuppliedProfiles;
import io.ocicat.agent.policy.model.TieredPolicy;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * All resources that policy depends on, at one moment. Of workload endpoints those of the whole
 * cluster. Immutable after it was read.
 */
public final class PolicySnapshot {
  /** The kinds that it is read from. */
  public static final Set<Kind> KINDS =
      Set.of(
          Kind.TIER,
          Kind.NETWORK_POLICY,
          Kind.GLOBAL_NETWORK_POLICY,
          Kind.KUBERNETES_NETWORK_POLICY,
          Kind.CLUSTER_NETWORK_POLICY,
          Kind.PROFILE,
          Kind.NAMESPACE,
          Kind.WORKLOAD_ENDPOINT,
          Kind.HOST_ENDPOINT,
          Kind.NETWORK_SET,
          Kind.GLOBAL_NETWORK_SET,
          Kind.ENDPOINT_SLICE);

  private static final Comparator<ResourceKey> BY_TEXT =
      Comparator.comparing(ResourceKey::describe);

  private final Map<String, PolicyTier> tiers = new HashMap<>();
  private final List<TieredPolicy> policies = new ArrayList<>();
  private final Map<String, PolicyProfile> profiles = new HashMap<>();
  private final Map<String, Map<String, String>> namespaces = new HashMap<>();
  private final Map<ResourceKey, PolicyMember> members = new TreeMap<>(BY_TEXT);
  private final Map<ServiceName, List<ServiceSlice>> services = new HashMap<>();
  private final Map<ResourceKey, String> problems = new TreeMap<>(BY_TEXT);

  private final Map<IpAddress, List<PolicyMember>> holders = new HashMap<>();
  private final List<PolicyMember> networks = new ArrayList<>();
  private final Map<ResourceKey, Map<String, String>> labels = new HashMap<>();

  private final boolean suppliesNamespaceProfiles;

  private PolicySnapshot(boolean suppliesNamespaceProfiles) {
    this.suppliesNamespaceProfiles = suppliesNamespaceProfiles;
  }

  /** Of a cluster without Kubernetes, where all can be read. */
  public static PolicySnapshot of(Collection<Resource> resources) {
    return of(resources, List.of(), /* suppliesNamespaceProfiles= */ true);
  }

  /**
   * With what is stored and cannot be read.
   *
   * @param unreadable a policy, profile or tier of these denies, as the agent enforces it
   * @param suppliesNamespaceProfiles whether nobody stores the profiles of namespaces and service
   *     accounts, so that the agent supplies them
   */
  public static PolicySnapshot of(
      Collection<Resource> resources,
      Collection<ResourcePage.Unreadable> unreadable,
      boolean suppliesNamespaceProfiles) {
    PolicySnapshot snapshot = new PolicySnapshot(suppliesNamespaceProfiles);
    resources.forEach(snapshot::add);
    unreadable.forEach(snapshot::addUnreadable);
    snapshot.members.values().forEach(snapshot::index);
    return snapshot;
  }

  private void add(Resource resource) {
    ResourceKey key = resource.key();
    switch (key.kind()) {
      case TIER -> tiers.put(key.name(), read(key, PolicyResources.tier(resource)));
      case NETWORK_POLICY,
          GLOBAL_NETWORK_POLICY,
          KUBERNETES_NETWORK_POLICY,
          CLUSTER_NETWORK_POLICY ->
          policies.add(read(key, PolicyResources.policy(resource)));
      case PROFILE -> profiles.put(key.name(), read(key, PolicyResources.profile(resource)));
      case NAMESPACE -> namespaces.put(key.name(), resource.labels());
      case WORKLOAD_ENDPOINT, HOST_ENDPOINT, NETWORK_SET, GLOBAL_NETWORK_SET ->
          members.put(key, read(key, PolicyResources.member(resource)));
      case ENDPOINT_SLICE -> {
        ServiceSlice slice = read(key, PolicyResources.slice(resource));
        services.computeIfAbsent(slice.service(), _ -> new ArrayList<>()).add(slice);
      }
      default -> {}
    }
  }

  private void addUnreadable(ResourcePage.Unreadable unreadable) {
    ResourceKey key = unreadable.key();
    if (key == null) {
      return;
    }
    problems.put(key, unreadable.problem());
    switch (key.kind()) {
      case NETWORK_POLICY,
          GLOBAL_NETWORK_POLICY,
          KUBERNETES_NETWORK_POLICY,
          CLUSTER_NETWORK_POLICY ->
          policies.add(PolicyResources.unreadablePolicy(key));
      case PROFILE -> profiles.put(key.name(), PolicyProfile.closed(key.name()));
      case TIER ->
          tiers.put(
              key.name(),
              new PolicyTier(key.name(), Double.POSITIVE_INFINITY, /* passes= */ false));
      default -> {}
    }
  }

  private <T> T read(ResourceKey key, ReadResource<? extends T> read) {
    read.problem().ifPresent(problem -> problems.put(key, problem));
    return read.value();
  }

  private void index(PolicyMember member) {
    Map<String, String> all = new HashMap<>(member.labels());
    for (String name : member.profiles()) {
      profile(name).ifPresent(profile -> profile.labels().forEach(all::putIfAbsent));
    }
    labels.put(member.key(), all);
    boolean wide = false;
    for (IpPrefix net : member.nets()) {
      if (net.length() == (net.isV4() ? 32 : 128)) {
        holders.computeIfAbsent(net.address(), _ -> new ArrayList<>()).add(member);
      } else {
        wide = true;
      }
    }
    if (wide) {
      networks.add(member);
    }
  }

  /** What is wrong with resources, by their key. */
  public Map<ResourceKey, String> problems() {
    return Collections.unmodifiableMap(problems);
  }

  public List<PolicyMember.Workload> workloads() {
    return members.values().stream()
        .filter(PolicyMember.Workload.class::isInstance)
        .map(PolicyMember.Workload.class::cast)
        .toList();
  }

  public List<TieredPolicy> policies() {
    return Collections.unmodifiableList(policies);
  }

  /** The workload that has an address. */
  public Optional<PolicyMember.Workload> workload(IpAddress address) {
    return holders.getOrDefault(address, List.of()).stream()
        .filter(PolicyMember.Workload.class::isInstance)
        .map(PolicyMember.Workload.class::cast)
        .findFirst();
  }

  /** Its own labels and those of its profiles. */
  public Map<String, String> labels(PolicyMember member) {
    return Collections.unmodifiableMap(labels.getOrDefault(member.key(), member.labels()));
  }

  /** Stored, or one of those that exist without. */
  Optional<PolicyProfile> profile(String name) {
    return Optional.ofNullable(profiles.get(name))
        .or(() -> SuppliedProfiles.builtIn(name))
        .or(
            () ->
                suppliesNamespaceProfiles
                    ? SuppliedProfiles.find(
                        name, namespace -> namespaces.getOrDefault(namespace, Map.of()))
                    : Optional.empty());
  }

  /** Everything that has an address: endpoints, and network sets that contain it. */
  List<PolicyMember> holders(IpAddress address) {
    List<PolicyMember> found = new ArrayList<>(holders.getOrDefault(address, List.of()));
    for (PolicyMember member : networks) {
      if (member.nets().stream().anyMatch(net -> net.contains(address))) {
        found.add(member);
      }
    }
    return found;
  }

  List<ServiceSlice> slices(ServiceName service) {
    return services.getOrDefault(service, List.of());
  }

  /** What applies to the connections of an endpoint. */
  public ApplyingPolicies applying(PolicyMember endpoint, PolicyDirection direction) {
    Map<PolicyTier, List<TieredPolicy>> byTier = new TreeMap<>();
    Map<String, String> all = labels(endpoint);
    for (TieredPolicy policy : policies) {
      if (policy.isNormal()
          && policy.types().contains(direction)
          && policy.selector().matches(all)) {
        PolicyTier tier = tiers.getOrDefault(policy.tier(), PolicyTier.missing(policy.tier()));
        byTier.computeIfAbsent(tier, _ -> new ArrayList<>()).add(policy);
      }
    }
    List<ApplyingPolicies.InTier> ordered = new ArrayList<>();
    byTier.forEach(
        (tier, some) ->
            ordered.add(
                new ApplyingPolicies.InTier(
                    tier, some.stream().sorted(TieredPolicy.ORDER).toList())));
    return new ApplyingPolicies(
        ordered,
        endpoint.profiles().stream()
            .map(name -> new ApplyingPolicies.OfProfile(name, profile(name)))
            .toList());
  }
}
