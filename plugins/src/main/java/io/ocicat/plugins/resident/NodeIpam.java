package io.ocicat.plugins.resident;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.gc.VirtualMachines;
import java.util.List;

/**
 * A datastore from which a node's containers got addresses, and its IPAM.
 *
 * @param node as the calls named it
 * @param machines the virtual machines that addresses are kept for
 */
public record NodeIpam(
    DatastoreConfig config, Datastore datastore, Ipam ipam, String node, VirtualMachines machines) {

  /** A plugin that allocates addresses, of which a process that stays releases the unused ones. */
  public interface Source {
    /** Those that calls have used so far. */
    List<NodeIpam> nodeIpams();
  }
}
