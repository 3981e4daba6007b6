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
 * Puts right what older versions of Calico have written for this host, once per start of the
 * machine. Only Kubernetes needs that: affinities without labels are not found there.
 *
 * @param marker the file that tells that it was done; gone with the machine's next start
 */
record HostUpgrade(Path marker) {
  /** A failure costs a new block at most, and the next call tries again. */
  void ensure(CalicoBackend backend, Ipam ipam, String node, CalicoLog log) {
    if (!backend.isKubernetes() || Files.exists(marker)) {
      return;
    }
    try {
      ipam.upgradeHost(node);
      Files.createDirectories(marker.resolveSibling(""));
      Files.createFile(marker);
    } catch (FileAlreadyExistsException _) {
      // Another call has done the same.
    } catch (IOException | DatastoreException | IpamException e) {
      log.warn("the block affinities of %s could not be upgraded: %s".formatted(node, e));
    }
  }
}
