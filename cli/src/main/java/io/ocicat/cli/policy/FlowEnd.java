package io.ocicat.cli.policy;

import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.base.Quoted;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;

/**
 * One end of a flow: a pod, or an address that may be a pod's.
 *
 * @param name as the user knows it: {@code shop/web}, or the address
 * @param endpoints of the pod, one for each interface; empty for an address of no pod
 * @param addresses those that it may use
 */
record FlowEnd(String name, List<PolicyMember.Workload> endpoints, List<IpAddress> addresses) {
  FlowEnd {
    endpoints = List.copyOf(endpoints);
    addresses = List.copyOf(addresses);
  }

  /**
   * Finds it by {@code namespace/name}, by a name in namespace {@code default}, or by address.
   *
   * @throws CommandException when there is no such pod
   */
  static FlowEnd find(StoredPolicy policy, String text) {
    Optional<IpAddress> address = IpAddress.tryParse(text);
    if (address.isPresent()) {
      return policy
          .snapshot()
          .workload(address.get())
          .map(
              workload ->
                  new FlowEnd(
                      workload.rank().workload(), List.of(workload), List.of(address.get())))
          .orElseGet(() -> new FlowEnd(text, List.of(), List.of(address.get())));
    }
    String name = text.contains("/") ? text : "default/" + text;
    List<PolicyMember.Workload> endpoints =
        policy.snapshot().workloads().stream()
            .filter(workload -> workload.rank().workload().equals(name))
            .toList();
    if (endpoints.isEmpty()) {
      throw new CommandException(
          "there is no pod %s: see \"ocicat get workloadendpoints -A\", or give an address"
              .formatted(Quoted.brief(name)));
    }
    return of(name, endpoints);
  }

  static FlowEnd of(String name, List<PolicyMember.Workload> endpoints) {
    return new FlowEnd(
        name,
        endpoints,
        endpoints.stream()
            .flatMap(endpoint -> endpoint.nets().stream())
            .map(IpPrefix::address)
            .toList());
  }

  /** The first address of a family. */
  Optional<IpAddress> address(boolean v4) {
    return addresses.stream().filter(address -> address.isV4() == v4).findFirst();
  }

  /** The endpoint with this address. */
  Optional<PolicyMember.Workload> endpoint(IpAddress address) {
    return endpoints.stream()
        .filter(endpoint -> endpoint.nets().contains(IpPrefix.host(address)))
        .findFirst();
  }

  /** The name, and the address if that is something else. */
  String describe(IpAddress address) {
    return name.equals(address.toString()) ? name : "%s (%s)".formatted(name, address);
  }
}
