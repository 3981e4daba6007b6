package io.ocicat.ipam.model;

import io.ocicat.ip.IpPrefix;
import java.util.List;

/**
 * The result of claiming the blocks of a range.
 *
 * @param claimed the blocks that now belong to the claimer
 * @param failed the blocks that belong to another owner
 */
public record ClaimedBlocks(List<IpPrefix> claimed, List<IpPrefix> failed) {
  public ClaimedBlocks {
    claimed = List.copyOf(claimed);
    failed = List.copyOf(failed);
  }
}
