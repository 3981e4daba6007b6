package io.ocicat.datastore.model;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Problems;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.regex.Pattern;

/** Rules for the names of resources. */
final class ResourceNames {
  private static final String LABEL = ValueRules.DNS_LABEL.pattern();
  private static final Pattern NETWORK_POLICY =
      Pattern.compile(
          "%s(\\.%s)?|(knp|ossg)\\.default\\.%s"
              .formatted(LABEL, LABEL, ValueRules.SUBDOMAIN.pattern()));
  private static final Pattern GLOBAL_NETWORK_POLICY =
      Pattern.compile("(%s\\.)?%s".formatted(LABEL, LABEL));
  private static final int MAX_LABEL = 63;

  private ResourceNames() {}

  static void check(ResourceKey.Named key, Problems problems) {
    String name = key.name();
    boolean isLabel = key.kind() == Kind.TIER || key.kind() == Kind.NAMESPACE;
    int longest = isLabel ? MAX_LABEL : ValueRules.MAX_NAME;
    if (name.length() > longest) {
      problems.add(
          "metadata.name",
          "must have at most %d characters, not %d".formatted(longest, name.length()));
    }
    switch (key.kind()) {
      case NETWORK_POLICY, STAGED_NETWORK_POLICY ->
          match(
              name,
              NETWORK_POLICY,
              "lower-case letters, digits and -, with at most one . after the tier's name",
              problems);
      case GLOBAL_NETWORK_POLICY, STAGED_GLOBAL_NETWORK_POLICY ->
          match(
              name,
              GLOBAL_NETWORK_POLICY,
              "lower-case letters, digits and -, with at most one . after the tier's name",
              problems);
      case TIER, NAMESPACE ->
          match(name, ValueRules.DNS_LABEL, "lower-case letters, digits and -", problems);
      case CLUSTER_INFORMATION, IPAM_CONFIGURATION, KUBE_CONTROLLERS_CONFIGURATION -> {
        if (!name.equals("default")) {
          problems.add("metadata.name", "must be default: there is only one " + key.kind());
        }
      }
      default -> match(name, ValueRules.SUBDOMAIN, "lower-case letters, digits, - and .", problems);
    }
  }

  private static void match(String name, Pattern pattern, String of, Problems problems) {
    if (!pattern.matcher(name).matches()) {
      problems.add(
          "metadata.name",
          "must be %s, with a letter or digit at both ends, not %s"
              .formatted(of, Quoted.brief(name)));
    }
  }
}
