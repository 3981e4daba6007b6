package io.ocicat.agent.policy.model;

import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.base.json.Problems;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.selector.Selector;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Reads NetworkPolicy and GlobalNetworkPolicy. One whose fields contradict each other or cannot be
 * read selects what it can be seen to select, at least everything in its namespace, and denies.
 */
final class CalicoPolicyReader {
  private static final String METADATA = "projectcalico.org/metadata";

  private final ResourceKey key;
  private final StrictFields spec;
  private final JsonNode metadata;
  private final Problems problems = new Problems();
  private final boolean known;
  private boolean closed;

  private CalicoPolicyReader(ResourceKey key, JsonNode document) {
    this.key = key;
    this.metadata = document.path("metadata");
    this.spec = StrictFields.of(objectOrNothing(document.path("spec")), "spec");
    this.known = document.path("spec").isObject();
    if (!known) {
      close("spec must be an object");
    }
  }

  private static JsonNode objectOrNothing(JsonNode node) {
    return node.isObject() ? node : node.path("");
  }

  static ReadResource<TieredPolicy> read(Resource resource) {
    return resource.read(document -> new CalicoPolicyReader(resource.key(), document).read());
  }

  /** A policy of which nothing but its key is known. */
  static TieredPolicy unreadable(ResourceKey key) {
    return new CalicoPolicyReader(key, MissingNode.getInstance()).read().value();
  }

  private boolean isGlobal() {
    return key.kind() == Kind.GLOBAL_NETWORK_POLICY;
  }

  private ReadResource<TieredPolicy> read() {
    String tier = orElse(PolicyTier.DEFAULT, () -> spec.text("tier"));
    double order =
        orElse(
            Double.NEGATIVE_INFINITY,
            () ->
                spec.number("order")
                    .orElse(known ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY));
    Selector selector = selector();
    RuleReader rules = new RuleReader(key.namespace(), problems);
    List<PolicyRule> ingress = orElse(List.of(), () -> rules.read(spec, "ingress"));
    List<PolicyRule> egress = orElse(List.of(), () -> rules.read(spec, "egress"));
    Set<PolicyDirection> types = orElse(EnumSet.allOf(PolicyDirection.class), this::types);
    boolean doNotTrack = isGlobal() && orElse(false, () -> spec.flag("doNotTrack"));
    boolean preDnat = isGlobal() && orElse(false, () -> spec.flag("preDNAT"));
    boolean onForward = isGlobal() && orElse(false, () -> spec.flag("applyOnForward"));
    if (doNotTrack && preDnat) {
      close("spec.doNotTrack cannot be combined with preDNAT");
    } else if ((doNotTrack || preDnat) && !onForward) {
      close("spec.%s needs applyOnForward".formatted(doNotTrack ? "doNotTrack" : "preDNAT"));
    } else if (preDnat && types.contains(PolicyDirection.EGRESS)) {
      close("spec.preDNAT excludes egress");
    }
    List<PolicyRule> deny = List.of(PolicyRule.all(0, PolicyAction.DENY));
    String tierOrDefault = tier.isEmpty() ? PolicyTier.DEFAULT : tier;
    TieredPolicy policy =
        new TieredPolicy(
            key,
            isGlobal() ? PolicyKind.GNP : PolicyKind.NP,
            name(tierOrDefault),
            tierOrDefault,
            order,
            types,
            selector,
            closed ? deny : ingress,
            closed ? deny : egress,
            doNotTrack && !closed,
            preDnat && !closed,
            onForward);
    return new ReadResource<>(
        policy, problems.isEmpty() ? Optional.empty() : Optional.of(problems.describe()));
  }

  private <T> T orElse(T closedValue, Supplier<T> reader) {
    try {
      return reader.get();
    } catch (IllegalArgumentException e) {
      close(String.valueOf(e.getMessage()));
      return closedValue;
    }
  }

  private void close(String why) {
    closed = true;
    problems.add(why, "(the policy denies everything)");
  }

  private Set<PolicyDirection> types() {
    Set<PolicyDirection> types = EnumSet.noneOf(PolicyDirection.class);
    for (String text : spec.texts("types")) {
      types.add(
          switch (text) {
            case "Ingress" -> PolicyDirection.INGRESS;
            case "Egress" -> PolicyDirection.EGRESS;
            default -> throw new IllegalArgumentException("spec.types must be Ingress or Egress");
          });
    }
    if (!known) {
      return EnumSet.allOf(PolicyDirection.class);
    }
    if (types.isEmpty()) {
      boolean egress = !spec.items("egress").isEmpty();
      if (!egress || !spec.items("ingress").isEmpty()) {
        types.add(PolicyDirection.INGRESS);
      }
      if (egress) {
        types.add(PolicyDirection.EGRESS);
      }
    }
    return types;
  }

  /** Each part on its own, so that one that cannot be read only widens what is selected. */
  private Selector selector() {
    List<Selector> terms = new ArrayList<>();
    endpointSelector("selector").ifPresent(terms::add);
    if (isGlobal()) {
      endpointSelector("namespaceSelector").map(PolicyLabels::ofNamespace).ifPresent(terms::add);
    } else {
      terms.add(PolicyLabels.inNamespace(key.namespace()));
    }
    endpointSelector("serviceAccountSelector")
        .map(PolicyLabels::ofServiceAccount)
        .ifPresent(terms::add);
    return PolicyLabels.and(terms);
  }

  private Optional<Selector> endpointSelector(String field) {
    return orElse(
        Optional.empty(),
        () -> {
          Optional<Selector> selector = spec.selector(field);
          if (selector.filter(PolicyLabels::hasGlobal).isPresent()) {
            throw new IllegalArgumentException(spec.path(field) + " must not contain global()");
          }
          return selector;
        });
  }

  /** Releases up to 3.28 stored the name with the tier in front. */
  private String name(String tier) {
    String inside = nameInside(metadata.path("annotations").path(METADATA).asString(""));
    String prefix = PolicyTier.DEFAULT + ".";
    if (!inside.isEmpty()) {
      return inside;
    }
    return tier.equals(PolicyTier.DEFAULT) && key.name().startsWith(prefix)
        ? key.name().substring(prefix.length())
        : key.name();
  }

  private static String nameInside(String annotation) {
    if (annotation.isEmpty()) {
      return "";
    }
    try {
      return StoredJson.parseObject(annotation).path("name").asString("");
    } catch (RuntimeException _) {
      return "";
    }
  }
}
