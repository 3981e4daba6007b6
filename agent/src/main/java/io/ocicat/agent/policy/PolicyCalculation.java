package io.ocicat.agent.policy;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.agent.policy.model.PolicyProfile;
import io.ocicat.agent.policy.model.PolicyResources;
import io.ocicat.agent.policy.model.PolicyRule;
import io.ocicat.agent.policy.model.PolicyTier;
import io.ocicat.agent.policy.model.ReadResource;
import io.ocicat.agent.policy.model.SuppliedProfiles;
import io.ocicat.agent.policy.model.TieredPolicy;
import io.ocicat.agent.view.ViewEvent;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the {@link DesiredFilter} of one node as the cluster's policies, profiles, endpoints and
 * network sets want it. The filter depends only on the last state of each resource, never on the
 * order in which they came. A change costs what it touches: an endpoint the sets whose selectors it
 * can match, a policy the endpoints of this node that it selects before or after. For one thread.
 *
 * <p>{@link #apply} takes what the datastore says, {@link #update} brings the filter to it; between
 * the two the filter is in no consistent state.
 */
public final class PolicyCalculation {
  /** The kinds to follow; {@link Kind#NAMESPACE} only where profiles are supplied. */
  public static final Set<Kind> KINDS =
      Collections.unmodifiableSet(
          EnumSet.of(
              Kind.WORKLOAD_ENDPOINT,
              Kind.HOST_ENDPOINT,
              Kind.NETWORK_SET,
              Kind.GLOBAL_NETWORK_SET,
              Kind.PROFILE,
              Kind.TIER,
              Kind.NETWORK_POLICY,
              Kind.GLOBAL_NETWORK_POLICY,
              Kind.KUBERNETES_NETWORK_POLICY,
              Kind.CLUSTER_NETWORK_POLICY,
              Kind.ENDPOINT_SLICE,
              Kind.NAMESPACE));

  private final String localNode;
  private final Set<Kind> kinds;
  private final Set<Kind> listed = EnumSet.noneOf(Kind.class);
  private final DesiredFilter filter = new DesiredFilter();
  private final Profiles profiles;
  private final Map<String, PolicyTier> tiers = new HashMap<>();
  private final Map<String, TieredPolicy> policiesByOwner = new HashMap<>();
  private final MemberSets sets;
  private final RuleLists ruleLists;
  private final LocalEndpoints endpoints;
  private final Set<String> changedOwners = new HashSet<>();
  private final Map<ResourceKey, String> problems = new HashMap<>();
  private final Map<Kind, List<String>> unreadable = new EnumMap<>(Kind.class);
  private @Nullable FilterSettings settings;
  private boolean sourceSpoofing;

  /**
   * @param suppliesNamespaceProfiles whether nobody stores the profiles of namespaces and service
   *     accounts, so that they are supplied here
   */
  public PolicyCalculation(String localNode, boolean suppliesNamespaceProfiles) {
    this.localNode = localNode;
    EnumSet<Kind> followed = EnumSet.copyOf(KINDS);
    if (!suppliesNamespaceProfiles) {
      followed.remove(Kind.NAMESPACE);
    }
    this.kinds = Collections.unmodifiableSet(followed);
    this.profiles = new Profiles(suppliesNamespaceProfiles);
    this.sets = new MemberSets(filter, profiles::labels);
    this.ruleLists = new RuleLists(filter, sets, this::rules);
    this.endpoints = new LocalEndpoints(filter, ruleLists, this::tier, profiles::labels);
  }

  /** The kinds to follow here. */
  public Set<Kind> kinds() {
    return kinds;
  }

  public DesiredFilter filter() {
    return filter;
  }

  /** Whether every kind has been listed, so that what is absent really does not exist. */
  public boolean isComplete() {
    return listed.containsAll(kinds);
  }

  /**
   * Sets what comes from the agent's configuration.
   *
   * @param spoofing whether workloads may send from the networks that they ask for
   */
  public void configure(FilterSettings wanted, boolean spoofing) {
    settings = wanted;
    if (sourceSpoofing != spoofing) {
      sourceSpoofing = spoofing;
      endpoints.spoofing().forEach(workload -> endpoints.touch(workload));
    }
  }

  /** What is wrong with resources, one line each. */
  public Map<ResourceKey, String> problems() {
    Map<ResourceKey, String> all = new HashMap<>(problems);
    if (!sourceSpoofing) {
      endpoints
          .spoofing()
          .forEach(
              workload ->
                  all.putIfAbsent(
                      workload.key(),
                      "spec.allowSpoofedSourcePrefixes needs workloadSourceSpoofing Any in"
                          + " FelixConfiguration: only its own addresses are allowed"));
    }
    return all;
  }

  /** Lines about stored values of which not even the resource is known. */
  public List<String> unreadable() {
    return unreadable.values().stream().flatMap(List::stream).toList();
  }

  /** Takes what the datastore says; the filter follows with the next {@link #update}. */
  public void apply(ViewEvent event) {
    switch (event) {
      case ViewEvent.Listed list -> replaceAll(list);
      case ViewEvent.Changed changed -> changed.events().forEach(this::apply);
      case ViewEvent.Unreachable _, ViewEvent.Reachable _ -> {}
    }
  }

  /** Brings the filter to what was applied. Before everything was listed, it does nothing. */
  public void update() {
    if (!isComplete() || settings == null) {
      return;
    }
    endpoints.update(sourceSpoofing);
    for (String owner : changedOwners) {
      for (PolicyDirection direction : PolicyDirection.values()) {
        ruleLists.refresh(new RuleListId(owner, direction));
      }
    }
    changedOwners.clear();
    filter.setSettings(settings);
  }

  private void replaceAll(ViewEvent.Listed list) {
    listed.add(list.kind());
    unreadable.put(list.kind(), list.unreadable());
    Set<ResourceKey> present = new HashSet<>();
    for (Resource resource : list.resources()) {
      present.add(resource.key());
      put(resource);
    }
    Set<ResourceKey> known = new HashSet<>(known(list.kind()));
    problems.keySet().stream().filter(key -> key.kind() == list.kind()).forEach(known::add);
    known.removeAll(present);
    known.forEach(this::remove);
  }

  private Collection<ResourceKey> known(Kind kind) {
    return switch (kind) {
      case WORKLOAD_ENDPOINT, HOST_ENDPOINT, NETWORK_SET, GLOBAL_NETWORK_SET -> sets.members(kind);
      case NETWORK_POLICY,
          GLOBAL_NETWORK_POLICY,
          KUBERNETES_NETWORK_POLICY,
          CLUSTER_NETWORK_POLICY ->
          endpoints.policies().stream().filter(key -> key.kind() == kind).toList();
      case PROFILE -> keys(kind, profiles.names());
      case NAMESPACE -> keys(kind, profiles.namespaces());
      case TIER -> keys(kind, tiers.keySet());
      case ENDPOINT_SLICE -> sets.slices();
      default -> List.of();
    };
  }

  private static List<ResourceKey> keys(Kind kind, Collection<String> names) {
    return names.stream().map(name -> ResourceKey.of(kind, name)).toList();
  }

  private void apply(ResourceEvent event) {
    switch (event) {
      case ResourceEvent.Added added -> put(added.resource());
      case ResourceEvent.Modified modified -> put(modified.resource());
      case ResourceEvent.Deleted deleted -> remove(deleted.key());
      case ResourceEvent.Unreadable broken -> putUnreadable(broken.key(), broken.problem());
    }
  }

  private void put(Resource resource) {
    ResourceKey key = resource.key();
    switch (key.kind()) {
      case WORKLOAD_ENDPOINT, HOST_ENDPOINT, NETWORK_SET, GLOBAL_NETWORK_SET ->
          putMember(note(key, PolicyResources.member(resource)));
      case NETWORK_POLICY,
          GLOBAL_NETWORK_POLICY,
          KUBERNETES_NETWORK_POLICY,
          CLUSTER_NETWORK_POLICY ->
          putPolicy(note(key, PolicyResources.policy(resource)));
      case PROFILE -> {
        profiles.put(note(key, PolicyResources.profile(resource)));
        profileChanged(key.name());
      }
      case NAMESPACE -> {
        profiles.putNamespace(key.name(), resource.labels());
        profileChanged(SuppliedProfiles.profileOf(key.name()));
      }
      case TIER -> putTier(note(key, PolicyResources.tier(resource)));
      case ENDPOINT_SLICE -> sets.putSlice(note(key, PolicyResources.slice(resource)));
      default -> {}
    }
  }

  private <T> T note(ResourceKey key, ReadResource<T> read) {
    read.problem()
        .ifPresentOrElse(problem -> problems.put(key, problem), () -> problems.remove(key));
    return read.value();
  }

  /** What is stored and cannot be read at all denies, if it is there to deny. */
  private void putUnreadable(ResourceKey key, String problem) {
    switch (key.kind()) {
      case NETWORK_POLICY,
          GLOBAL_NETWORK_POLICY,
          KUBERNETES_NETWORK_POLICY,
          CLUSTER_NETWORK_POLICY ->
          putPolicy(PolicyResources.unreadablePolicy(key));
      case PROFILE -> {
        profiles.put(PolicyProfile.closed(key.name()));
        profileChanged(key.name());
      }
      case TIER ->
          putTier(new PolicyTier(key.name(), Double.POSITIVE_INFINITY, /* passes= */ false));
      default -> remove(key);
    }
    problems.put(key, problem);
  }

  private void remove(ResourceKey key) {
    problems.remove(key);
    switch (key.kind()) {
      case WORKLOAD_ENDPOINT, HOST_ENDPOINT, NETWORK_SET, GLOBAL_NETWORK_SET -> {
        sets.remove(key);
        endpoints.remove(key);
      }
      case NETWORK_POLICY,
          GLOBAL_NETWORK_POLICY,
          KUBERNETES_NETWORK_POLICY,
          CLUSTER_NETWORK_POLICY ->
          endpoints.removePolicy(key).map(TieredPolicy::owner).ifPresent(policiesByOwner::remove);
      case PROFILE -> {
        profiles.remove(key.name());
        profileChanged(key.name());
      }
      case NAMESPACE -> {
        profiles.removeNamespace(key.name());
        profileChanged(SuppliedProfiles.profileOf(key.name()));
      }
      case TIER -> {
        if (tiers.remove(key.name()) != null) {
          endpoints.touchAll();
        }
      }
      case ENDPOINT_SLICE -> sets.removeSlice(key);
      default -> {}
    }
  }

  private void putMember(PolicyMember member) {
    sets.put(member);
    boolean local =
        switch (member) {
          case PolicyMember.Workload workload ->
              workload.node().equals(localNode) && !workload.interfaceName().isEmpty();
          case PolicyMember.HostEnd host ->
              host.node().equals(localNode)
                  && !(host.interfaceName().isEmpty() && host.addresses().isEmpty());
          case PolicyMember.Networks _ -> false;
        };
    if (local) {
      endpoints.put(member);
    } else {
      endpoints.remove(member.key());
    }
  }

  private void putPolicy(TieredPolicy policy) {
    endpoints.putPolicy(policy);
    if (!policy.equals(policiesByOwner.put(policy.owner(), policy))) {
      changedOwners.add(policy.owner());
    }
  }

  private void putTier(PolicyTier tier) {
    if (!tier.equals(tiers.put(tier.name(), tier))) {
      endpoints.touchAll();
    }
  }

  private PolicyTier tier(String name) {
    PolicyTier found = tiers.get(name);
    return found == null ? PolicyTier.missing(name) : found;
  }

  private void profileChanged(String profile) {
    sets.profileChanged(profile);
    endpoints.profileChanged(profile);
    changedOwners.add(PolicyProfile.ruleList(profile, PolicyDirection.INGRESS).owner());
  }

  private List<PolicyRule> rules(RuleListId id) {
    TieredPolicy policy = policiesByOwner.get(id.owner());
    if (policy != null) {
      return policy.rules(id.direction());
    }
    return profiles
        .find(id.owner().substring(PolicyProfile.ruleList("", id.direction()).owner().length()))
        .rules(id.direction());
  }
}
