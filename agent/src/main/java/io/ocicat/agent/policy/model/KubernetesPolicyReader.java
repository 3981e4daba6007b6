package io.ocicat.agent.policy.model;

import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.base.json.Problems;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.selector.Selector;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/**
 * Reads Kubernetes' NetworkPolicy. All its rules allow, so one that cannot be read is left out; the
 * pods stay isolated.
 */
final class KubernetesPolicyReader {
  private static final double ORDER = 1000;

  private final ResourceKey key;
  private final StrictFields spec;
  private final Problems problems = new Problems();

  private KubernetesPolicyReader(ResourceKey key, StrictFields spec) {
    this.key = key;
    this.spec = spec;
  }

  static ReadResource<TieredPolicy> read(ResourceKey key, JsonNode document) {
    try {
      if (!document.path("spec").isObject()) {
        throw new IllegalArgumentException("spec must be an object");
      }
      return new KubernetesPolicyReader(key, StrictFields.of(document.path("spec"), "spec")).read();
    } catch (IllegalArgumentException e) {
      return new ReadResource<>(unreadable(key), Optional.of(String.valueOf(e.getMessage())));
    }
  }

  /** A policy of which nothing but its key is known isolates all pods of its namespace. */
  static TieredPolicy unreadable(ResourceKey key) {
    return policy(
        key,
        EnumSet.allOf(PolicyDirection.class),
        List.of(PolicyLabels.IS_POD),
        List.of(),
        List.of());
  }

  private static TieredPolicy policy(
      ResourceKey key,
      Set<PolicyDirection> types,
      List<Selector> pods,
      List<PolicyRule> ingress,
      List<PolicyRule> egress) {
    List<Selector> terms = new ArrayList<>(pods);
    terms.add(PolicyLabels.inNamespace(key.namespace()));
    return new TieredPolicy(
        key,
        PolicyKind.KNP,
        key.name(),
        PolicyTier.DEFAULT,
        ORDER,
        types,
        PolicyLabels.and(terms),
        ingress,
        egress,
        /* doNotTrack= */ false,
        /* preDnat= */ false,
        /* applyOnForward= */ false);
  }

  private ReadResource<TieredPolicy> read() {
    List<Selector> pods = new ArrayList<>(List.of(PolicyLabels.IS_POD));
    orElse(List.<Selector>of(), () -> LabelSelectors.ofPods(spec.child("podSelector")))
        .forEach(pods::add);
    TieredPolicy policy =
        policy(
            key,
            orElse(EnumSet.allOf(PolicyDirection.class), this::types),
            pods,
            rules("ingress", "from"),
            rules("egress", "to"));
    return problems.isEmpty()
        ? new ReadResource<>(policy, Optional.empty())
        : new ReadResource<>(policy, Optional.of(problems.describe()));
  }

  private <T> T orElse(T closed, Supplier<T> reader) {
    try {
      return reader.get();
    } catch (IllegalArgumentException e) {
      problems.add(String.valueOf(e.getMessage()), "(the policy applies to all that it may mean)");
      return closed;
    }
  }

  /** As an API server fills it in. */
  private Set<PolicyDirection> types() {
    Set<PolicyDirection> types = EnumSet.noneOf(PolicyDirection.class);
    for (String text : spec.texts("policyTypes")) {
      types.add(
          switch (text) {
            case "Ingress" -> PolicyDirection.INGRESS;
            case "Egress" -> PolicyDirection.EGRESS;
            default ->
                throw new IllegalArgumentException("spec.policyTypes must be Ingress or Egress");
          });
    }
    if (types.isEmpty()) {
      types.add(PolicyDirection.INGRESS);
      if (!spec.items("egress").isEmpty()) {
        types.add(PolicyDirection.EGRESS);
      }
    }
    return types;
  }

  private List<PolicyRule> rules(String field, String peers) {
    List<JsonNode> items = orElse(List.of(), () -> spec.items(field));
    List<PolicyRule> rules = new ArrayList<>();
    for (int number = 0; number < items.size(); number++) {
      try {
        StrictFields rule =
            StrictFields.of(items.get(number), "%s[%d]".formatted(spec.path(field), number));
        rule.rejectOthers(Set.of("ports", peers));
        rules.addAll(rule(rule, peers, number));
      } catch (IllegalArgumentException e) {
        RuleReader.closed(
            Optional.of(PolicyAction.ALLOW), number, String.valueOf(e.getMessage()), problems);
      }
    }
    return rules;
  }

  private List<PolicyRule> rule(StrictFields rule, String peersField, int number) {
    List<RulePeer> peers = new ArrayList<>();
    for (JsonNode item : rule.items(peersField)) {
      peers.add(peer(StrictFields.of(item, rule.path(peersField))));
    }
    if (peers.isEmpty()) {
      peers.add(RulePeer.ANY);
    }
    SortedMap<Integer, PortChoice> protocols = new TreeMap<>();
    for (JsonNode item : rule.items("ports")) {
      PortChoice.read(StrictFields.of(item, rule.path("ports")), protocols);
    }
    boolean ingress = peersField.equals("from");
    return PortChoice.rules(number, PolicyAction.ALLOW, peers, protocols, ingress);
  }

  private RulePeer peer(StrictFields peer) {
    peer.rejectOthers(Set.of("podSelector", "namespaceSelector", "ipBlock"));
    boolean pods = peer.has("podSelector");
    boolean namespaces = peer.has("namespaceSelector");
    if (peer.has("ipBlock") == (pods || namespaces)) {
      throw new IllegalArgumentException(
          peer.path("ipBlock") + " or selectors must be given, and not both");
    }
    if (peer.has("ipBlock")) {
      StrictFields block = peer.child("ipBlock");
      return RulePeer.in(
          List.of(
              StrictFields.network(block.text("cidr"))
                  .orElseThrow(
                      () ->
                          new IllegalArgumentException(block.path("cidr") + " must be a network"))),
          block.networks("except"));
    }
    List<Selector> terms = new ArrayList<>(List.of(PolicyLabels.IS_POD));
    terms.addAll(
        namespaces
            ? LabelSelectors.ofNamespaces(peer.child("namespaceSelector"))
            : List.of(PolicyLabels.inNamespace(key.namespace())));
    terms.addAll(LabelSelectors.ofPods(peer.child("podSelector")));
    return RulePeer.selected(PolicyLabels.and(terms));
  }
}
