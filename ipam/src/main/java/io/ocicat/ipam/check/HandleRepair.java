package io.ocicat.ipam.check;

import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.HandleCounts;
import io.ocicat.ipam.cluster.IpamRecords;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Corrects a handle to match the blocks. Safe at any time: each block is written as well, so that a
 * process that has counted and not yet allocated counts again, and the handle is changed only if it
 * is unchanged since before that.
 */
final class HandleRepair {
  private HandleRepair() {}

  public static void run(
      IpamRecords records, HandleCounts counts, String id, Optional<IpPrefix> missing) {
    Optional<IpamRecords.Stored<IpamHandle>> handle = records.handle(id);
    Set<IpPrefix> cidrs = new TreeSet<>();
    handle.ifPresent(found -> cidrs.addAll(found.value().counts().keySet()));
    missing.ifPresent(cidrs::add);
    if (handle.isPresent() && cidrs.isEmpty()) {
      counts.delete(handle.get());
    }
    for (IpPrefix cidr : cidrs) {
      Optional<IpamRecords.Stored<IpamHandle>> now = records.handle(id);
      if (now.isPresent()) {
        counts.recount(cidr, now.get());
      } else {
        counts.create(id, cidr);
      }
    }
  }
}
