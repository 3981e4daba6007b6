package io.ocicat.agent.matrix;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/**
 * Says which flows a cluster's documents allow, by evaluating them as they are written: no sets, no
 * chains, nothing incremental. Written from the specification and apart from the agent, so that the
 * two do not share a mistake.
 *
 * <p>Of host endpoints it knows those of a node's {@code eth0}, with normal policies and those that
 * apply to forwarded traffic; no failsafe port is among those that are tried.
 */
public final class Oracle {
  private static final String UPLINK = "eth0";

  private final Documents documents;
  private final boolean toHost;
  private final List<StoredPolicy> policies = new ArrayList<>();
  private final Map<Actor, KnownEndpoint> workloads = new HashMap<>();

  /** What applies to an endpoint in a direction, which is the same for all its packets. */
  private final IdentityHashMap<KnownEndpoint, Map<Flow, List<StoredPolicy>>> applicable =
      new IdentityHashMap<>();

  /**
   * Reads a cluster.
   *
   * @param toHost whether pods that may send to their own node's address reach it
   */
  public Oracle(List<Resource> resources, boolean toHost) {
    this.documents = new Documents(resources);
    this.toHost = toHost;
    List<KnownEndpoint> known = documents.endpoints();
    documents.of(Kind.NETWORK_POLICY).forEach(it -> policies.add(new CalicoPolicy(it, known)));
    documents
        .of(Kind.GLOBAL_NETWORK_POLICY)
        .forEach(it -> policies.add(new CalicoPolicy(it, known)));
    documents
        .of(Kind.KUBERNETES_NETWORK_POLICY)
        .forEach(it -> policies.add(new KubernetesPolicy(it, known)));
    documents
        .of(Kind.CLUSTER_NETWORK_POLICY)
        .forEach(it -> policies.add(new ClusterPolicy(it, known)));
  }

  /**
   * An oracle for what a datastore has now.
   *
   * @param instead count instead of what is stored under their keys
   */
  public static Oracle of(Datastore datastore, List<Resource> instead, boolean toHost) {
    List<Resource> resources = new ArrayList<>();
    for (Kind kind :
        List.of(
            Kind.WORKLOAD_ENDPOINT,
            Kind.HOST_ENDPOINT,
            Kind.PROFILE,
            Kind.NAMESPACE,
            Kind.NETWORK_SET,
            Kind.GLOBAL_NETWORK_SET,
            Kind.TIER,
            Kind.NETWORK_POLICY,
            Kind.GLOBAL_NETWORK_POLICY,
            Kind.KUBERNETES_NETWORK_POLICY,
            Kind.CLUSTER_NETWORK_POLICY)) {
      resources.addAll(datastore.list(ResourceQuery.of(kind)).items());
    }
    for (Resource meaning : instead) {
      resources.removeIf(stored -> stored.key().equals(meaning.key()));
      resources.add(meaning);
    }
    return new Oracle(resources, toHost);
  }

  /** Whether a flow that begins with this packet gets from one place to the other. */
  public boolean allows(Actor from, Actor to, Packet packet) {
    boolean local = from.isNextTo(to);
    if (from.isPod() && !isAllowed(workload(from), Flow.EGRESS, packet)) {
      return false;
    }
    if (local && to.type() == Actor.Type.NODE) {
      return toHost;
    }
    if (!local && !from.node().isEmpty() && !passesHost(from, Flow.EGRESS, packet)) {
      return false;
    }
    if (!local && !to.node().isEmpty() && !passesHost(to, Flow.INGRESS, packet)) {
      return false;
    }
    boolean fromOwnNode = local && from.type() == Actor.Type.NODE;
    return !to.isPod() || fromOwnNode || isAllowed(workload(to), Flow.INGRESS, packet);
  }

  private KnownEndpoint workload(Actor pod) {
    return workloads.computeIfAbsent(
        pod,
        _ ->
            documents.endpoints().stream()
                .filter(it -> it.type() == KnownEndpoint.Type.WORKLOAD && it.has(pod.v4()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no endpoint of " + pod)));
  }

  private boolean isAllowed(KnownEndpoint endpoint, Flow direction, Packet packet) {
    return switch (tiers(endpoint, direction, packet, _ -> true)) {
      case ALLOW -> true;
      case DENY -> false;
      case PASS, NONE -> isAllowedByProfile(endpoint, direction, packet);
    };
  }

  /** Returns NONE where no tier has a policy for the endpoint. */
  private Verdict tiers(
      KnownEndpoint endpoint, Flow direction, Packet packet, Predicate<StoredPolicy> which) {
    Map<String, List<StoredPolicy>> byTier = new HashMap<>();
    for (StoredPolicy policy : applicable(endpoint, direction)) {
      if (which.test(policy)) {
        byTier.computeIfAbsent(policy.tier(), _ -> new ArrayList<>()).add(policy);
      }
    }
    List<String> names = new ArrayList<>(byTier.keySet());
    names.sort(Comparator.comparingDouble(this::orderOf).thenComparing(Comparator.naturalOrder()));
    Verdict last = Verdict.NONE;
    for (String name : names) {
      last = tier(name, byTier.getOrDefault(name, List.of()), direction, packet);
      if (last != Verdict.PASS) {
        return last;
      }
    }
    return last;
  }

  private List<StoredPolicy> applicable(KnownEndpoint endpoint, Flow direction) {
    return applicable
        .computeIfAbsent(endpoint, _ -> new EnumMap<>(Flow.class))
        .computeIfAbsent(
            direction,
            _ -> policies.stream().filter(it -> it.applies(endpoint, direction)).toList());
  }

  private Verdict tier(String name, List<StoredPolicy> applicable, Flow direction, Packet packet) {
    List<StoredPolicy> sorted = new ArrayList<>(applicable);
    sorted.sort(
        Comparator.comparingDouble(StoredPolicy::order).thenComparing(StoredPolicy::tieBreak));
    for (StoredPolicy policy : sorted) {
      Verdict verdict = policy.decide(packet, direction);
      if (verdict != Verdict.NONE) {
        return verdict;
      }
    }
    boolean passes =
        tierSpec(name)
            .map(spec -> spec.path("defaultAction").asString(""))
            .orElse("Deny")
            .equals("Pass");
    return passes ? Verdict.PASS : Verdict.DENY;
  }

  private double orderOf(String tier) {
    return tierSpec(tier)
        .map(spec -> spec.path("order").asDouble(Double.POSITIVE_INFINITY))
        .orElse(Double.POSITIVE_INFINITY);
  }

  private Optional<JsonNode> tierSpec(String name) {
    return documents.of(Kind.TIER).stream()
        .filter(tier -> tier.key().name().equals(name))
        .map(Documents::spec)
        .findFirst();
  }

  private boolean isAllowedByProfile(KnownEndpoint endpoint, Flow direction, Packet packet) {
    for (String profile : endpoint.profiles()) {
      Optional<JsonNode> rules = documents.profileRules(profile, direction);
      if (rules.isEmpty()) {
        return false;
      }
      switch (CalicoRule.decide(rules.get(), "", documents.endpoints(), packet)) {
        case ALLOW -> {
          return true;
        }
        case DENY -> {
          return false;
        }
        case PASS, NONE -> {}
      }
    }
    return false;
  }

  /** Whether the host endpoint of a node lets a packet of the node or of its pods through. */
  private boolean passesHost(Actor place, Flow direction, Packet packet) {
    Optional<KnownEndpoint> found = hostEndpoint(place.node());
    if (found.isEmpty()) {
      return true;
    }
    KnownEndpoint host = found.get();
    if (!place.isPod()) {
      return isAllowed(host, direction, packet);
    }
    return tiers(host, direction, packet, StoredPolicy::appliesOnForward) != Verdict.DENY;
  }

  private Optional<KnownEndpoint> hostEndpoint(String node) {
    List<KnownEndpoint> own =
        documents.endpoints().stream()
            .filter(it -> it.type() == KnownEndpoint.Type.HOST && it.node().equals(node))
            .sorted(Comparator.comparing(KnownEndpoint::name))
            .toList();
    return own.stream()
        .filter(it -> it.interfaceName().equals(UPLINK))
        .findFirst()
        .or(() -> own.stream().filter(it -> it.interfaceName().isEmpty()).findFirst())
        .or(() -> own.stream().filter(it -> it.interfaceName().equals("*")).findFirst());
  }
}
