package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.cluster.PodNamespace;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The IPAM request of an ADD.
 *
 * @param handle by which DEL releases the addresses
 * @param attributes describe the owner of the addresses
 * @param maxPerHandle how many addresses of a family the handle may have; 0 for any number
 */
record IpamRequest(
    CalicoIpamConf conf,
    CalicoBackend backend,
    String node,
    Optional<PodReference> pod,
    String handle,
    Map<String, String> attributes,
    int maxPerHandle) {

  static IpamRequest of(AddCall call, CalicoIpamConf conf, CalicoBackend backend, Instant now) {
    String node = conf.node().require();
    Optional<PodReference> pod = PodReference.of(call);
    return new IpamRequest(
        conf,
        backend,
        node,
        pod,
        CalicoConventions.containerHandle(call.network().value(), call.containerId().value()),
        CalicoConventions.containerAttributes(
            node,
            now,
            pod.map(PodReference::namespace).orElse(null),
            pod.map(PodReference::name).orElse(null)),
        0);
  }

  /** For a virtual machine, whose addresses outlive the container. */
  IpamRequest of(VmPod vmPod, String network) {
    return new IpamRequest(
        conf, backend, node, pod, vmPod.handle(network), vmPod.attributes(attributes), 1);
  }

  AssignRequest exactly(IpAddress address) {
    return new AssignRequest(
        address, node, handle, attributes, null, maxPerHandle, IpPool.Use.WORKLOAD);
  }

  /**
   * One address of each configured family.
   *
   * @throws CniException when no family is configured, or a named pool does not exist
   */
  AutoAssignRequest any() {
    return any(conf.v4(), conf.v6());
  }

  /** The same for some families only. */
  AutoAssignRequest any(boolean v4, boolean v6) {
    if (!conf.v4() && !conf.v6()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "ipam.assign_ipv4 and ipam.assign_ipv6 are both \"false\": no address is requested",
          "set one of them to \"true\"");
    }
    List<IpPrefix> v4Pools = v4 ? pools("ipam.ipv4_pools", conf.v4Pools(), true) : List.of();
    List<IpPrefix> v6Pools = v6 ? pools("ipam.ipv6_pools", conf.v6Pools(), false) : List.of();
    boolean selected = (v4 && v4Pools.isEmpty()) || (v6 && v6Pools.isEmpty());
    return AutoAssignRequest.on(node)
        .withCounts(v4 ? 1 : 0, v6 ? 1 : 0)
        .withHandle(handle, attributes)
        .withMaxPerHandle(maxPerHandle)
        .withPools(v4Pools, v6Pools)
        .withMaxBlocks(conf.maxBlocks())
        .withUse(IpPool.Use.WORKLOAD)
        .withNamespace(selected ? namespaceLabels() : Map.of());
  }

  /** Named pools are used whatever namespaces they select: then no labels are needed. */
  private Map<String, String> namespaceLabels() {
    if (backend.knowsAllPods() && !backend.isKubernetes() && !conf.describesPods()) {
      // As in Calico, for which the address of an API alone is not a reason to query it.
      return Map.of();
    }
    return pod.map(
            it ->
                IpamErrors.attempt(
                        "error getting namespace " + it.namespace(),
                        () -> backend.cluster().namespace(it.namespace()))
                    .map(PodNamespace::labels)
                    .orElseThrow(
                        () ->
                            new CniException(
                                ErrorCode.TRY_AGAIN_LATER,
                                "there is no namespace \"%s\"".formatted(it.namespace()),
                                "pools may select namespaces by labels, so it must be known")))
        .orElse(Map.of());
  }

  private List<IpPrefix> pools(String member, List<String> named, boolean v4) {
    return named.stream()
        .map(
            text -> {
              IpPrefix cidr = IpPrefix.tryParse(text).orElseGet(() -> pool(member, text));
              if (cidr.isV4() != v4) {
                throw refuse(
                    "%s has \"%s\", which is a pool of %s addresses"
                        .formatted(member, text, v4 ? "IPv6" : "IPv4"));
              }
              return cidr.network();
            })
        .toList();
  }

  private IpPrefix pool(String member, String name) {
    return IpamErrors.attempt(
        "error getting IP pool \"%s\"".formatted(name),
        () -> {
          Datastore datastore = backend.datastore();
          try {
            return IpPool.of(datastore.get(ResourceKey.of(Kind.IP_POOL, name))).cidr();
          } catch (NotFoundException e) {
            throw refuse(
                "%s has \"%s\", which is neither a CIDR nor the name of a pool"
                    .formatted(member, name));
          }
        });
  }

  private static CniException refuse(String why) {
    return new CniException(
        ErrorCode.INVALID_NETWORK_CONFIG, why, "`ocicat get ippools` lists those there are");
  }
}
