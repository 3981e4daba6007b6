package io.ocicat.ipam.gc;

import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.check.IpamFinding;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.BlockOwner;
import java.util.List;

/**
 * What one sweep has done.
 *
 * @param released leaked addresses
 * @param suspects addresses that looked leaked and have to do so once more
 * @param repaired what was put right beside addresses
 * @param hosts that are gone and own no block any more
 * @param problems what could not be done now; the next sweep tries again
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
