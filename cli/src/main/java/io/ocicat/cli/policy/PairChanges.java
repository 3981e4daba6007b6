package io.ocicat.cli.policy;

import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Compares what two states of policy decide between all pods. */
final class PairChanges {
  /** A change of these concerns only the endpoints to which other policies apply then. */
  private static final Set<Kind> POLICIES =
      Set.of(
          Kind.TIER,
          Kind.NETWORK_POLICY,
          Kind.GLOBAL_NETWORK_POLICY,
          Kind.KUBERNETES_NETWORK_POLICY,
          Kind.CLUSTER_NETWORK_POLICY);

  private final StoredPolicy before;
  private final StoredPolicy after;
  private final Map<String, FlowPort> flows;

  private PairChanges(StoredPolicy before, StoredPolicy after) {
    this.before = before;
    this.after = after;
    this.flows = TriedFlows.of(before.snapshot(), after.snapshot());
  }

  /**
   * What changes, by sender and receiver.
   *
   * @param changed the resources that differ
   */
  static List<PairChange> between(
      StoredPolicy before, StoredPolicy after, Set<ResourceKey> changed) {
    return new PairChanges(before, after).find(changed);
  }

  /** The pods of a cluster by name. */
  static Map<String, FlowEnd> pods(StoredPolicy policy) {
    Map<String, FlowEnd> pods = new TreeMap<>();
    policy.snapshot().workloads().stream()
        .collect(Collectors.groupingBy(workload -> workload.rank().workload()))
        .forEach((name, endpoints) -> pods.put(name, FlowEnd.of(name, endpoints)));
    return pods;
  }

  private List<PairChange> find(Set<ResourceKey> changed) {
    boolean onlyPolicies = changed.stream().allMatch(key -> POLICIES.contains(key.kind()));
    Map<String, FlowEnd> earlier = pods(before);
    Map<String, FlowEnd> later = pods(after);
    List<PairChange> changes = new ArrayList<>();
    for (FlowEnd from : later.values()) {
      boolean sender = !onlyPolicies || differs(from, PolicyDirection.EGRESS);
      for (FlowEnd to : later.values()) {
        FlowEnd fromBefore = earlier.get(from.name());
        FlowEnd toBefore = earlier.get(to.name());
        boolean concerned = sender || differs(to, PolicyDirection.INGRESS);
        if (concerned && !from.equals(to) && fromBefore != null && toBefore != null) {
          changes.addAll(pair(fromBefore, toBefore, from, to));
        }
      }
    }
    return changes;
  }

  private boolean differs(FlowEnd pod, PolicyDirection direction) {
    for (PolicyMember.Workload endpoint : pod.endpoints()) {
      if (!before
          .snapshot()
          .applying(endpoint, direction)
          .equals(after.snapshot().applying(endpoint, direction))) {
        return true;
      }
    }
    return false;
  }

  private record Outcome(boolean allowed, String reason) {}

  private List<PairChange> pair(FlowEnd fromBefore, FlowEnd toBefore, FlowEnd from, FlowEnd to) {
    Map<Outcome, List<String>> named = new LinkedHashMap<>();
    Map<Outcome, FlowVerdict> verdicts = new LinkedHashMap<>();
    flows.forEach(
        (description, flow) -> {
          Optional<FlowVerdict> was =
              FlowVerdict.find(before, fromBefore, toBefore, flow, /* v6= */ false);
          Optional<FlowVerdict> is = FlowVerdict.find(after, from, to, flow, /* v6= */ false);
          if (was.isPresent() && is.isPresent() && was.get().isAllowed() != is.get().isAllowed()) {
            Outcome outcome =
                new Outcome(
                    is.get().isAllowed(), is.get().decisive().map(StepText::decidedBy).orElse(""));
            named.computeIfAbsent(outcome, _ -> new ArrayList<>()).add(description);
            verdicts.putIfAbsent(outcome, is.get());
          }
        });
    List<PairChange> changes = new ArrayList<>();
    verdicts.forEach(
        (outcome, verdict) ->
            changes.add(
                new PairChange(
                    from.name(),
                    to.name(),
                    named.getOrDefault(outcome, List.of()),
                    outcome.allowed(),
                    verdict.decisive())));
    return changes;
  }
}
