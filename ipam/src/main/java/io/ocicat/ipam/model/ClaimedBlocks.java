package io.ocicat.ipam.model;

import io.ocicat.ip.IpPrefix;
import java.util.List;

/**
 * What came of claiming a range.
 *
 * @param claimed belong to the claimer now
 * @param failed belong to somebody else
 */
public record ClaimedBlocks(List<IpPrefix> claimed, List<IpPrefix> failed) {
  public ClaimedBlocks {
    claimed = List.copyOf(claimed);
    failed = List.copyOf(failed);
  }
}
