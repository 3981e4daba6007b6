package io.ocicat.agent.policy.model;

import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.PortRange;
import io.ocicat.base.Quoted;
import io.ocicat.base.json.Problems;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.selector.Selector;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/**
 * Reads Kubernetes' ClusterNetworkPolicy, version v1alpha2. A rule that cannot be enforced is left
 * out if it accepts, and otherwise denies everything.
 */
final class ClusterPolicyReader {
  private static final int MAX_PRIORITY = 1000;

  private final ResourceKey key;
  private final StrictFields spec;
  private final Problems problems = new Problems();
  private boolean closed;

  private ClusterPolicyReader(ResourceKey key, StrictFields spec) {
    this.key = key;
    this.spec = spec;
  }

  static ReadResource<TieredPolicy> read(ResourceKey key, JsonNode document) {
    if (!document.path("spec").isObject()) {
      return new ReadResource<>(unreadable(key), Optional.of("spec must be an object"));
    }
    return new ClusterPolicyReader(key, StrictFields.of(document.path("spec"), "spec")).read();
  }

  /** A policy of which nothing but its key is known denies everything to all pods. */
  static TieredPolicy unreadable(ResourceKey key) {
    List<PolicyRule> deny = List.of(PolicyRule.all(0, PolicyAction.DENY));
    return policy(
        key,
        PolicyTier.ADMIN,
        Double.NEGATIVE_INFINITY,
        EnumSet.allOf(PolicyDirection.class),
        PolicyLabels.IS_POD,
        deny,
        deny);
  }

  private static TieredPolicy policy(
      ResourceKey key,
      String tier,
      double order,
      Set<PolicyDirection> types,
      Selector selector,
      List<PolicyRule> ingress,
      List<PolicyRule> egress) {
    return new TieredPolicy(
        key,
        PolicyKind.KCNP,
        key.name(),
        tier,
        order,
        types,
        selector,
        ingress,
        egress,
        /* doNotTrack= */ false,
        /* preDnat= */ false,
        /* applyOnForward= */ false);
  }

  private ReadResource<TieredPolicy> read() {
    String tier = orElse(PolicyTier.ADMIN, this::tier);
    double order =
        orElse(
            Double.NEGATIVE_INFINITY,
            () ->
                (double)
                    spec.whole("priority", 0, MAX_PRIORITY)
                        .orElseThrow(
                            () -> new IllegalArgumentException("spec.priority is missing")));
    Selector subject = orElse(PolicyLabels.IS_POD, this::subject);
    List<PolicyRule> ingress = orElse(List.of(), () -> rules("ingress", "from"));
    List<PolicyRule> egress = orElse(List.of(), () -> rules("egress", "to"));
    Set<PolicyDirection> types = EnumSet.noneOf(PolicyDirection.class);
    if (closed || !spec.items("ingress").isEmpty()) {
      types.add(PolicyDirection.INGRESS);
    }
    if (closed || !spec.items("egress").isEmpty()) {
      types.add(PolicyDirection.EGRESS);
    }
    List<PolicyRule> deny = List.of(PolicyRule.all(0, PolicyAction.DENY));
    TieredPolicy policy =
        policy(key, tier, order, types, subject, closed ? deny : ingress, closed ? deny : egress);
    return new ReadResource<>(
        policy, problems.isEmpty() ? Optional.empty() : Optional.of(problems.describe()));
  }

  private <T> T orElse(T closedValue, Supplier<T> reader) {
    try {
      return reader.get();
    } catch (IllegalArgumentException e) {
      closed = true;
      problems.add(String.valueOf(e.getMessage()), "(the policy denies everything)");
      return closedValue;
    }
  }

  private String tier() {
    return switch (spec.text("tier")) {
      case "Admin" -> PolicyTier.ADMIN;
      case "Baseline" -> PolicyTier.BASELINE;
      default ->
          throw new IllegalArgumentException(
              "spec.tier must be Admin or Baseline, not " + Quoted.brief(spec.text("tier")));
    };
  }

  private Selector subject() {
    StrictFields subject = spec.child("subject");
    subject.rejectOthers(Set.of("namespaces", "pods"));
    return pods(subject);
  }

  /** Pods of namespaces, or some pods of some namespaces: exactly one of both. */
  private static Selector pods(StrictFields choice) {
    if (choice.has("namespaces") == choice.has("pods")) {
      throw new IllegalArgumentException(
          choice.path("namespaces") + " or pods must be given, and not both");
    }
    List<Selector> terms = new ArrayList<>(List.of(PolicyLabels.IS_POD));
    if (choice.has("namespaces")) {
      terms.addAll(LabelSelectors.ofNamespaces(choice.child("namespaces")));
    } else {
      StrictFields pods = choice.child("pods");
      terms.addAll(LabelSelectors.ofNamespaces(pods.child("namespaceSelector")));
      terms.addAll(LabelSelectors.ofPods(pods.child("podSelector")));
    }
    return PolicyLabels.and(terms);
  }

  private List<PolicyRule> rules(String field, String peers) {
    List<JsonNode> items = spec.items(field);
    List<PolicyRule> rules = new ArrayList<>();
    for (int number = 0; number < items.size(); number++) {
      JsonNode item = items.get(number);
      Optional<PolicyAction> action = action(item.path("action").asString(""));
      try {
        StrictFields rule = StrictFields.of(item, "%s[%d]".formatted(spec.path(field), number));
        rule.rejectOthers(Set.of("name", "action", "protocols", peers));
        rules.addAll(
            rule(
                rule,
                peers,
                number,
                action.orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            rule.path("action") + " must be Accept, Deny or Pass"))));
      } catch (IllegalArgumentException e) {
        RuleReader.closed(action, number, String.valueOf(e.getMessage()), problems)
            .ifPresent(rules::add);
      }
    }
    return rules;
  }

  private static Optional<PolicyAction> action(String text) {
    return switch (text) {
      case "Accept" -> Optional.of(PolicyAction.ALLOW);
      case "Deny" -> Optional.of(PolicyAction.DENY);
      case "Pass" -> Optional.of(PolicyAction.PASS);
      default -> Optional.empty();
    };
  }

  private static List<PolicyRule> rule(
      StrictFields rule, String peersField, int number, PolicyAction action) {
    boolean ingress = peersField.equals("from");
    List<RulePeer> peers = new ArrayList<>();
    for (JsonNode item : rule.items(peersField)) {
      peers.add(peer(StrictFields.of(item, rule.path(peersField)), ingress));
    }
    if (peers.isEmpty()) {
      throw new IllegalArgumentException(rule.path(peersField) + " must name at least one peer");
    }
    SortedMap<Integer, PortChoice> protocols = new TreeMap<>();
    PortChoice named = new PortChoice();
    boolean hasNames = false;
    for (JsonNode item : rule.items("protocols")) {
      StrictFields protocol = StrictFields.of(item, rule.path("protocols"));
      protocol.rejectOthers(Set.of("tcp", "udp", "sctp", "destinationNamedPort"));
      String name = protocol.text("destinationNamedPort");
      if (name.isEmpty()) {
        readProtocol(protocol, protocols);
      } else {
        named.add(name);
        hasNames = true;
      }
    }
    List<PolicyRule> rules = new ArrayList<>();
    if (!protocols.isEmpty() || !hasNames) {
      rules.addAll(PortChoice.rules(number, action, peers, protocols, ingress));
    }
    if (hasNames) {
      for (RulePeer peer : peers) {
        rules.add(PortChoice.rule(number, action, OptionalInt.empty(), peer, named, ingress));
      }
    }
    return rules;
  }

  private static void readProtocol(StrictFields entry, SortedMap<Integer, PortChoice> protocols) {
    List<String> given = List.of("tcp", "udp", "sctp").stream().filter(entry::has).toList();
    if (given.size() != 1) {
      throw new IllegalArgumentException(
          entry.path("tcp") + ", udp, sctp or destinationNamedPort must be given, only one");
    }
    int protocol =
        switch (given.getFirst()) {
          case "tcp" -> Protocols.TCP;
          case "udp" -> Protocols.UDP;
          default -> Protocols.SCTP;
        };
    PortChoice choice = protocols.computeIfAbsent(protocol, _ -> new PortChoice());
    StrictFields fields = entry.child(given.getFirst());
    fields.rejectOthers(Set.of("destinationPort"));
    StrictFields port = fields.child("destinationPort");
    port.rejectOthers(Set.of("number", "range"));
    if (!fields.has("destinationPort")) {
      choice.addAll();
    } else if (port.has("range") == port.has("number")) {
      throw new IllegalArgumentException(
          port.path("number") + " or range must be given, and not both");
    } else if (port.has("number")) {
      choice.add(PortRange.of(port.whole("number", 1, 65535).orElseThrow()));
    } else {
      StrictFields range = port.child("range");
      choice.add(
          new PortRange(
              range.whole("start", 1, 65535).orElse(-1), range.whole("end", 1, 65535).orElse(-1)));
    }
  }

  private static RulePeer peer(StrictFields peer, boolean ingress) {
    peer.rejectOthers(
        ingress ? Set.of("namespaces", "pods") : Set.of("namespaces", "pods", "networks"));
    if (!peer.has("networks")) {
      return RulePeer.selected(pods(peer));
    }
    if (peer.has("namespaces") || peer.has("pods") || peer.items("networks").isEmpty()) {
      throw new IllegalArgumentException(
          peer.path("networks") + " must stand alone and must not be empty");
    }
    return RulePeer.in(peer.networks("networks"), List.of());
  }
}
