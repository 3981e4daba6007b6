package io.ocicat.ipam.gc;

import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.check.IpamFinding;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.BlockOwner;
import java.util.List;

/**
 * What one garbage collection has done.
 *
 * @param released leaked addresses
 * @param suspects addresses that looked leaked and must do so once more
 * @param repaired other inconsistencies that were repaired
 * @param hosts hosts that no longer exist and no longer own a block
 * @param problems what failed; the next run tries again
 */
public record CollectionResult(
    List<IpAddress> released,
    List<AddressInfo> suspects,
    List<IpamFinding> repaired,
    List<BlockOwner> hosts,
    List<RuntimeException> problems) {
  public CollectionResult {
    released = List.copyOf(released);
    suspects = List.copyOf(suspects);
    repaired = List.copyOf(repaired);
    hosts = List.copyOf(hosts);
    problems = List.copyOf(problems);
  }
}
