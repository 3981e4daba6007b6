package io.ocicat.plugins.calico;

import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The endpoint that a workload already has, and what it means for an ADD. */
record ExistingEndpoint(AddCall call, CalicoConf conf, Resource endpoint) {
  /**
   * A container that is already on a network: an ADD that is repeated, or one for another network.
   */
  Result joined(WorkloadIdentity identity, WorkloadEndpoints endpoints) {
    String profile = Workload.profile(call.config().name());
    Resource current = endpoint;
    if (!WorkloadEndpoints.texts(endpoint, "profiles").contains(profile)) {
      current =
          endpoints.write(
              (ResourceKey.Named) endpoint.key(),
              Optional.of(endpoint),
              document -> {
                ObjectNode spec = (ObjectNode) document.path("spec");
                ArrayNode profiles =
                    spec.get("profiles") instanceof ArrayNode there
                        ? there
                        : spec.putArray("profiles");
                profiles.add(profile);
              });
    }
    if (conf.policy().isNone()) {
      NetworkProfile.ensure(endpoints.datastore(), call.config().name(), identity.isPod());
    }
    return stored(MacAddress.tryParse(current.text("spec", "mac").orElse("")));
  }

  /**
   * The result of an earlier ADD of the same interface and container, if all of it still exists.
   */
  Optional<Result> intactResult(WorkloadIdentity identity, NetnsSockets container) {
    if (!AddressAllocation.isOf(endpoint, identity)
        || !endpoint.text("spec", "endpoint").orElse("").equals(identity.endpoint())) {
      return Optional.empty();
    }
    Optional<Link> link = container.link(identity.ifName());
    List<String> networks = WorkloadEndpoints.texts(endpoint, "ipNetworks");
    if (link.isEmpty() || !link.get().isUp() || networks.isEmpty()) {
      return Optional.empty();
    }
    List<String> present =
        container.route().list(Addresses.list(Device.of(link.get()))).stream()
            .map(Address::prefix)
            .map(IpPrefix::toString)
            .toList();
    return present.containsAll(networks)
        ? Optional.of(stored(Optional.ofNullable(link.get().mac())))
        : Optional.empty();
  }

  private Result stored(Optional<MacAddress> mac) {
    Result result = Result.empty();
    for (String network : WorkloadEndpoints.texts(endpoint, "ipNetworks")) {
      result = result.withIp(IpConfig.of(IpPrefix.parse(network)));
    }
    return AddResult.of(
        call,
        result,
        endpoint.text("spec", "interfaceName").orElse(""),
        mac.orElse(new MacAddress(0)),
        0);
  }
}
