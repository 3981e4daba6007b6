package io.ocicat.cli.conformance;

import io.ocicat.conformance.subject.RequiredService;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.netlink.ns.NetNs;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * An embedded datastore with a node and a pool, where the calico-ipam plugin on a lab's host finds
 * it.
 */
public final class ReferencePools implements RequiredService {
  private static final String NODE = "conformance";
  private static final String CIDR = "10.88.0.0/24";

  /** Next to the directory that a service has for its own files. */
  private static final String STATE = "state";

  @Override
  public Running start(NetNs host, Path directory) {
    try (Datastore datastore = EmbeddedStore.openDatastore(directory.resolveSibling(STATE))) {
      for (Kind kind :
          List.of(
              Kind.IPAM_BLOCK, Kind.BLOCK_AFFINITY, Kind.IPAM_HANDLE, Kind.IP_POOL, Kind.NODE)) {
        for (Resource left : datastore.list(ResourceQuery.of(kind)).items()) {
          datastore.delete(left.key(), null);
        }
      }
      datastore.create(
          Resource.of(new ResourceKey.Named(Kind.NODE, "", NODE), ObjectNode::removeAll));
      datastore.create(
          Resource.of(
              new ResourceKey.Named(Kind.IP_POOL, "", "conformance"),
              spec -> spec.put("cidr", CIDR)));
    }
    return () -> {};
  }

  @Override
  public String command(Path directory) {
    return ("rm -rf %s && printf '%%s\\n"
            + "' '{kind: Node, apiVersion: projectcalico.org/v3, metadata: {name: %s}}' ---"
            + " '{kind: IPPool, apiVersion: projectcalico.org/v3, metadata: {name:"
            + " conformance}, spec: {cidr: %s}}' | OCICAT_STATE_DIR=%s ocicat apply -f - &&"
            + " exec sleep infinity")
        .formatted(directory.resolveSibling(STATE), NODE, CIDR, directory.resolveSibling(STATE));
  }
}
