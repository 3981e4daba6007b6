package io.ocicat.agent.policy.model;

import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.datastore.model.BuiltInProfile;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The profiles that apply although nobody has stored them. On Kubernetes every namespace and
 * service account is a profile. Elsewhere Calico has nobody who would store those that its CNI
 * plugin names, so the agent supplies them: a pod without policies is open there as well.
 */
public final class SuppliedProfiles {
  private static final String NAME = "projectcalico.org/name";
  private static final String NAME_OF_KUBERNETES = "kubernetes.io/metadata.name";

  private SuppliedProfiles() {}

  /** The profile that allows everything and always exists. */
  public static Optional<PolicyProfile> builtIn(String name) {
    return name.isEmpty()
        ? Optional.empty()
        : BuiltInProfile.find(ResourceKey.of(Kind.PROFILE, name))
            .map(resource -> PolicyResources.profile(resource).value());
  }

  /** The namespace whose profile this is; empty for any other profile. */
  public static Optional<String> namespaceOf(String profile) {
    return profile.startsWith(PolicyLabels.NAMESPACE_PROFILE)
        ? Optional.of(profile.substring(PolicyLabels.NAMESPACE_PROFILE.length()))
        : Optional.empty();
  }

  public static String profileOf(String namespace) {
    return PolicyLabels.NAMESPACE_PROFILE + namespace;
  }

  /**
   * The profile of a namespace or service account.
   *
   * @param namespaces the labels of a stored namespace, or none
   */
  public static Optional<PolicyProfile> find(
      String profile, Function<String, Map<String, String>> namespaces) {
    Optional<String> namespace = namespaceOf(profile);
    if (namespace.isPresent()) {
      return Optional.of(ofNamespace(profile, namespace.get(), namespaces.apply(namespace.get())));
    }
    int dot = profile.indexOf('.', PolicyLabels.SERVICE_ACCOUNT_PROFILE.length());
    return profile.startsWith(PolicyLabels.SERVICE_ACCOUNT_PROFILE) && dot > 0
        ? Optional.of(ofServiceAccount(profile, profile.substring(dot + 1)))
        : Optional.empty();
  }

  private static PolicyProfile ofNamespace(
      String profile, String namespace, Map<String, String> labels) {
    Map<String, String> inherited = new HashMap<>();
    labels.forEach((label, value) -> inherited.put(PolicyLabels.OF_NAMESPACE + label, value));
    inherited.put(PolicyLabels.OF_NAMESPACE + NAME, namespace);
    inherited.put(PolicyLabels.OF_NAMESPACE + NAME_OF_KUBERNETES, namespace);
    List<PolicyRule> allow = List.of(PolicyRule.all(0, PolicyAction.ALLOW));
    return new PolicyProfile(profile, inherited, allow, allow);
  }

  private static PolicyProfile ofServiceAccount(String profile, String account) {
    return new PolicyProfile(
        profile, Map.of(PolicyLabels.OF_SERVICE_ACCOUNT + NAME, account), List.of(), List.of());
  }
}
