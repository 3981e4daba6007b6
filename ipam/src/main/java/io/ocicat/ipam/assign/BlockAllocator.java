package io.ocicat.ipam.assign;

import io.ocicat.datastore.resource.Write;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.BlockAssigner;
import io.ocicat.ipam.block.Requester;
import io.ocicat.ipam.cluster.StaleViewException;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.IpamException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Allocates the addresses that a request is missing from one block. Thread-safe. */
public final class BlockAllocator {
  private final BlockAssigner assigner;
  private final HandleQuota quota;

  public BlockAllocator(BlockAssigner assigner, HandleQuota quota) {
    this.assigner = assigner;
    this.quota = quota;
  }

  /**
   * Allocates as many addresses as the block has; finding none is not an error.
   *
   * @param onlyOf the required owner of the block; null for any
   * @throws StaleViewException when something the request relies on has changed
   * @throws IpamException with NO_SUCH_BLOCK or STRICT_AFFINITY
   */
  public void allocate(
      AssignmentProgress progress,
      ClusterSnapshot snapshot,
      IpPrefix cidr,
      @Nullable BlockOwner onlyOf,
      List<Write.Expect> conditions) {
    try {
      Requester requester =
          new Requester(
              progress.attributes(),
              onlyOf,
              progress.request().maxPerHandle(),
              quota.pinned(progress),
              conditions,
              progress.counted());
      progress.add(
          cidr, assigner.allocate(cidr, progress.missing(), requester, snapshot.reservations()));
    } catch (IpamException e) {
      if (e.reason() == IpamException.Reason.HANDLE_LIMIT) {
        throw new StaleViewException("another process has allocated for the same handle");
      }
      throw e;
    }
  }
}
