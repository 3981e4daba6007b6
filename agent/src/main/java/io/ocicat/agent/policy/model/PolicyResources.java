package io.ocicat.agent.policy.model;

import io.ocicat.base.json.Problems;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Reads resources as policy sees them. */
public final class PolicyResources {
  private static final String SERVICE = "kubernetes.io/service-name";

  private PolicyResources() {}

  /** One that cannot be read comes last and denies, like one that does not exist. */
  public static ReadResource<PolicyTier> tier(Resource resource) {
    String name = resource.key().name();
    return resource.read(
        document -> {
          try {
            StrictFields spec = StrictFields.of(document.path("spec"), "spec");
            String action = spec.text("defaultAction");
            if (!List.of("", "Deny", "Pass").contains(action)) {
              throw new IllegalArgumentException("spec.defaultAction must be Deny or Pass");
            }
            return new ReadResource<>(
                new PolicyTier(
                    name,
                    spec.number("order").orElse(Double.POSITIVE_INFINITY),
                    action.equals("Pass")),
                Optional.empty());
          } catch (IllegalArgumentException e) {
            return new ReadResource<>(
                new PolicyTier(name, Double.POSITIVE_INFINITY, /* passes= */ false),
                Optional.of(e.getMessage() + " (the tier comes last and denies)"));
          }
        });
  }

  /** Reads a policy of any kind. */
  public static ReadResource<TieredPolicy> policy(Resource resource) {
    ResourceKey key = resource.key();
    return switch (key.kind()) {
      case NETWORK_POLICY, GLOBAL_NETWORK_POLICY -> CalicoPolicyReader.read(resource);
      case KUBERNETES_NETWORK_POLICY ->
          resource.read(document -> KubernetesPolicyReader.read(key, document));
      case CLUSTER_NETWORK_POLICY ->
          resource.read(document -> ClusterPolicyReader.read(key, document));
      default -> throw notPolicy(key);
    };
  }

  /** What is enforced for a policy that is stored and cannot be read. */
  public static TieredPolicy unreadablePolicy(ResourceKey key) {
    return switch (key.kind()) {
      case NETWORK_POLICY, GLOBAL_NETWORK_POLICY -> CalicoPolicyReader.unreadable(key);
      case KUBERNETES_NETWORK_POLICY -> KubernetesPolicyReader.unreadable(key);
      case CLUSTER_NETWORK_POLICY -> ClusterPolicyReader.unreadable(key);
      default -> throw notPolicy(key);
    };
  }

  private static IllegalArgumentException notPolicy(ResourceKey key) {
    return new IllegalArgumentException(key.describe() + " is not a policy");
  }

  /** One whose rules cannot be read denies everything. */
  public static ReadResource<PolicyProfile> profile(Resource resource) {
    String name = resource.key().name();
    return resource.read(
        document -> {
          Problems problems = new Problems();
          try {
            StrictFields spec = StrictFields.of(document.path("spec"), "spec");
            RuleReader rules = new RuleReader("", problems);
            PolicyProfile profile =
                new PolicyProfile(
                    name,
                    spec.textMap("labelsToApply"),
                    rules.read(spec, "ingress"),
                    rules.read(spec, "egress"));
            return new ReadResource<>(
                profile, problems.isEmpty() ? Optional.empty() : Optional.of(problems.describe()));
          } catch (IllegalArgumentException e) {
            return new ReadResource<>(
                PolicyProfile.closed(name),
                Optional.of(e.getMessage() + " (the profile denies everything)"));
          }
        });
  }

  public static ReadResource<PolicyMember.Workload> workload(Resource resource) {
    return MemberReader.workload(resource);
  }

  public static ReadResource<PolicyMember.HostEnd> host(Resource resource) {
    return MemberReader.host(resource);
  }

  public static ReadResource<PolicyMember.Networks> networks(Resource resource) {
    return MemberReader.networks(resource);
  }

  /** Reads anything that a selector can match. */
  public static ReadResource<? extends PolicyMember> member(Resource resource) {
    return switch (resource.kind()) {
      case WORKLOAD_ENDPOINT -> workload(resource);
      case HOST_ENDPOINT -> host(resource);
      case NETWORK_SET, GLOBAL_NETWORK_SET -> networks(resource);
      default -> throw new IllegalArgumentException(resource.describe() + " has no addresses");
    };
  }

  /** Endpoints that are not ready belong to their service, too. */
  public static ReadResource<ServiceSlice> slice(Resource resource) {
    return resource.read(document -> slice(resource.key(), document));
  }

  private static ReadResource<ServiceSlice> slice(ResourceKey key, JsonNode document) {
    Problems problems = new Problems();
    String service = document.path("metadata").path("labels").path(SERVICE).asString("");
    List<IpAddress> addresses = new ArrayList<>();
    for (JsonNode endpoint : document.path("endpoints").values()) {
      for (JsonNode address : endpoint.path("addresses").values()) {
        IpAddress.tryParse(address.asString("")).ifPresent(addresses::add);
      }
    }
    List<ServiceSlice.ServicePort> ports = new ArrayList<>();
    for (JsonNode item : document.path("ports").values()) {
      try {
        StrictFields port = StrictFields.of(item, "ports");
        int protocol = port.protocol("protocol").orElse(Protocols.TCP);
        port.whole("port", 1, 65535)
            .ifPresent(number -> ports.add(new ServiceSlice.ServicePort(protocol, number)));
      } catch (IllegalArgumentException e) {
        problems.add(String.valueOf(e.getMessage()), "(it is left out)");
      }
    }
    return new ReadResource<>(
        new ServiceSlice(key, new ServiceName(key.namespace(), service), addresses, ports),
        problems.isEmpty() ? Optional.empty() : Optional.of(problems.describe()));
  }
}
