package io.ocicat.cli.policy;

import io.ocicat.agent.policy.model.PolicyKind;
import io.ocicat.datastore.resource.Kind;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * Why the packet filter has denied a packet, as its rule says: {@code by np/shop/web ingress rule
 * 2}, or any other end of the sentence <i>denied …</i>.
 */
record DeniedReason(String text) {
  private static final Pattern BY_RULE =
      Pattern.compile("by ([a-z]+)/([^/ ]*)/([^ ]+) (ingress|egress) rule (\\d+)");

  /** The sentence, with the policy as people know it. */
  String sentence() {
    Matcher rule = BY_RULE.matcher(text);
    if (!rule.matches()) {
      return "denied " + text;
    }
    String namespace = rule.group(2);
    return "denied by %s %s%s, %s[%s]"
        .formatted(
            kind(rule.group(1)),
            namespace.isEmpty() ? "" : namespace + "/",
            rule.group(3),
            rule.group(4),
            rule.group(5));
  }

  void addTo(ObjectNode json) {
    json.put("reason", sentence());
    Matcher rule = BY_RULE.matcher(text);
    if (rule.matches()) {
      json.put("kind", kind(rule.group(1)));
      if (!rule.group(2).isEmpty()) {
        json.put("namespace", rule.group(2));
      }
      json.put("name", rule.group(3))
          .put("direction", rule.group(4))
          .put("rule", Integer.parseInt(rule.group(5)));
    }
  }

  private static String kind(String abbreviation) {
    for (PolicyKind kind : PolicyKind.values()) {
      if (kind.text().equals(abbreviation)) {
        return switch (kind) {
          case NP -> Kind.NETWORK_POLICY.text();
          case GNP -> Kind.GLOBAL_NETWORK_POLICY.text();
          case KNP -> Kind.KUBERNETES_NETWORK_POLICY.text();
          case KCNP -> Kind.CLUSTER_NETWORK_POLICY.text();
        };
      }
    }
    return abbreviation.equals("pro") ? Kind.PROFILE.text() : abbreviation;
  }
}
