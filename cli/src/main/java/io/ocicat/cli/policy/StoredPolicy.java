package io.ocicat.cli.policy;

import io.ocicat.agent.policy.explain.PolicyEvaluation;
import io.ocicat.agent.policy.explain.PolicySnapshot;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a datastore says about policy.
 *
 * @param nodes the names of nodes by their addresses
 */
public record StoredPolicy(
    PolicySnapshot snapshot, PolicyEvaluation evaluation, Map<IpAddress, String> nodes) {
  public StoredPolicy {
    nodes = Map.copyOf(nodes);
  }

  public static StoredPolicy read(Datastore datastore) {
    List<Resource> resources = new ArrayList<>();
    List<ResourcePage.Unreadable> unreadable = new ArrayList<>();
    for (Kind kind : PolicySnapshot.KINDS.stream().sorted().toList()) {
      ResourcePage page = list(datastore, kind);
      resources.addAll(page.items());
      unreadable.addAll(page.unreadable());
    }
    Map<IpAddress, String> nodes = new HashMap<>();
    for (Resource node : list(datastore, Kind.NODE).items()) {
      for (String field : List.of("ipv4Address", "ipv6Address")) {
        node.text("spec", "bgp", field)
            .flatMap(StoredPolicy::address)
            .ifPresent(address -> nodes.put(address, node.key().name()));
      }
    }
    PolicySnapshot snapshot =
        PolicySnapshot.of(resources, unreadable, !datastore.cluster().isKubernetes());
    return new StoredPolicy(snapshot, new PolicyEvaluation(snapshot), nodes);
  }

  private static Optional<IpAddress> address(String text) {
    return IpPrefix.tryParse(text).map(IpPrefix::address).or(() -> IpAddress.tryParse(text));
  }

  private static ResourcePage list(Datastore datastore, Kind kind) {
    try {
      return datastore.list(ResourceQuery.of(kind));
    } catch (UnsupportedException _) {
      // A cluster that does not define the kind has none.
      return new ResourcePage("", List.of(), List.of(), null);
    }
  }
}
