package io.ocicat.plugins.calicoipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ipam.Ipam;
import io.ocicat.plugins.calicolog.CalicoLog;
import java.util.Optional;

/**
 * Whether virtual machines keep their addresses, according to the cluster's settings. Calico reads
 * the public resource; outside Kubernetes there is also IPAM's own, which {@code ocicat ipam
 * configure} writes and which applies where the public one is silent.
 */
final class VmAddressPersistence {
  private static final ResourceKey PUBLIC = ResourceKey.of(Kind.IPAM_CONFIGURATION, "default");

  private VmAddressPersistence() {}

  /** When the settings cannot be read, machines keep their addresses. */
  static boolean isOn(Datastore datastore, Ipam ipam, CalicoLog log) {
    try {
      return setting(datastore)
          .map(text -> !text.equals("Disabled"))
          .orElseGet(() -> ipam.config().keepVirtualMachineAddresses());
    } catch (DatastoreException e) {
      log.warn("virtual machines keep their addresses: %s".formatted(e.getMessage()));
      return true;
    }
  }

  private static Optional<String> setting(Datastore datastore) {
    try {
      return datastore.get(PUBLIC).text("spec", "kubeVirtVMAddressPersistence");
    } catch (NotFoundException _) {
      return Optional.empty();
    }
  }
}
