package io.ocicat.plugins.calicoipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Kind;
import io.ocicat.datastore.Query;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.ipam.AddressInfo;
import io.ocicat.ipam.Conventions;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.Release;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * GC of one network on one node: addresses whose handle is of that network and of no container that
 * lives. Each is released only as it was when it was read.
 */
record Sweep(Ipam ipam, Datastore datastore, String node) {
  void run(String network, Set<String> containers) {
    Failures.told(
        "failed to collect addresses of network " + network,
        () -> {
          List<Release> stale = new ArrayList<>();
          for (Resource block : datastore.list(Query.of(Kind.IPAM_BLOCK)).items()) {
            Ipam.inUse(IpamBlock.of(block)).stream()
                .filter(info -> isStale(info, network, containers))
                .map(Release::of)
                .forEach(stale::add);
          }
          return ipam.release(stale).orThrow();
        });
  }

  /**
   * Both networks and containers may have dots in their names: what could be read in two ways is
   * left alone. A virtual machine has its addresses without any container, so they are none of a
   * runtime's business.
   */
  private boolean isStale(AddressInfo info, String network, Set<String> containers) {
    String handle = String.valueOf(info.handle());
    String prefix = Conventions.containerHandle(network, "");
    if (!handle.startsWith(prefix)
        || !node.equals(info.owner().get(Conventions.NODE))
        || info.owner().containsKey(Conventions.TYPE)
        || info.owner().containsKey(Conventions.INSTANCE_NAME)) {
      return false;
    }
    String container = handle.substring(prefix.length());
    return container.indexOf('.') < 0 && !containers.contains(container);
  }
}
