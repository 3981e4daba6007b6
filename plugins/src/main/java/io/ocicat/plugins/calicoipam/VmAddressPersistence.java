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
 * Whether virtual machines keep their addresses, as the cluster's settings say. Calico reads the
 * public record; outside Kubernetes there is a second one, IPAM's own, which {@code ocicat ipam
 * configure} writes and which counts where the public one says nothing.
 */
final class VmAddressPersistence {
  private static final ResourceKey PUBLIC = ResourceKey.of(Kind.IPAM_CONFIGURATION, "default");

  private VmAddressPersistence() {}

  /** What cannot be read does not take addresses away. */
  static boolean isOn(Datastore datastore, Ipam ipam, CalicoLog log) {
    try {
      return said(datastore)
          .map(text -> !text.equals("Disabled"))
          .orElseGet(() -> ipam.config().keepVirtualMachineAddresses());
    } catch (DatastoreException e) {
      log.warn("virtual machines keep their addresses: %s".formatted(e.getMessage()));
      return true;
    }
  }

  private static Optional<String> said(Datastore datastore) {
    try {
      return datastore.get(PUBLIC).text("spec", "kubeVirtVMAddressPersistence");
    } catch (NotFoundException _) {
      return Optional.empty();
    }
  }
}
