package io.ocicat.plugins.calicoipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.ReleaseRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Performs GC of one network on one node: releases the addresses whose handle belongs to that
 * network and to no valid container. An address is only released if it is unchanged since it was
 * read.
 */
record CalicoIpamGc(Ipam ipam, Datastore datastore, String node) {
  void run(String network, Set<String> containers) {
    IpamErrors.attempt(
        "failed to collect addresses of network " + network,
        () -> {
          List<ReleaseRequest> stale = new ArrayList<>();
          for (Resource block : datastore.list(ResourceQuery.of(Kind.IPAM_BLOCK)).items()) {
            Ipam.inUse(IpamBlock.of(block)).stream()
                .filter(info -> isStale(info, network, containers))
                .map(ReleaseRequest::of)
                .forEach(stale::add);
          }
          return ipam.release(stale).orThrow();
        });
  }

  /**
   * Both network names and container ids may contain dots: an ambiguous handle is left alone. A
   * virtual machine has its addresses independent of any container, so a runtime's GC does not
   * concern them.
   */
  private boolean isStale(AddressInfo info, String network, Set<String> containers) {
    String handle = String.valueOf(info.handle());
    String prefix = CalicoConventions.containerHandle(network, "");
    if (!handle.startsWith(prefix)
        || !node.equals(info.owner().get(CalicoConventions.NODE))
        || info.owner().containsKey(CalicoConventions.TYPE)
        || info.owner().containsKey(CalicoConventions.INSTANCE_NAME)) {
      return false;
    }
    String container = handle.substring(prefix.length());
    return container.indexOf('.') < 0 && !containers.contains(container);
  }
}
