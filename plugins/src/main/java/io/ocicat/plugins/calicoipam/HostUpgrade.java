package io.ocicat.plugins.calicoipam;

import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.calicolog.CalicoLog;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Fixes records that older versions of Calico wrote for this host, once per boot. Only Kubernetes
 * needs that: affinities without labels are not found there.
 *
 * @param marker the file that says it was done; it does not survive a reboot
 */
record HostUpgrade(Path marker) {
  /** A failure costs one new block at most, and the next call tries again. */
  void ensure(CalicoBackend backend, Ipam ipam, String node, CalicoLog log) {
    if (!backend.isKubernetes() || Files.exists(marker)) {
      return;
    }
    try {
      ipam.upgradeHost(node);
      Files.createDirectories(marker.resolveSibling(""));
      Files.createFile(marker);
    } catch (FileAlreadyExistsException _) {
      // A concurrent call has done the same.
    } catch (IOException | DatastoreException | IpamException e) {
      log.warn("the block affinities of %s could not be upgraded: %s".formatted(node, e));
    }
  }
}
