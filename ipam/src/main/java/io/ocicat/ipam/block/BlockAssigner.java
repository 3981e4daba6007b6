package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.Reservations;
import io.ocicat.ipam.model.IpamException;
import java.util.List;

/** Allocates addresses from a block and updates the handle's count. Thread-safe. */
public final class BlockAssigner {
  private final Blocks blocks;
  private final BlockWriter writer;

  public BlockAssigner(Blocks blocks, BlockWriter writer) {
    this.blocks = blocks;
    this.writer = writer;
  }

  /**
   * Allocates up to {@code count} addresses that are not reserved; finding none is not an error.
   */
  public List<IpAddress> allocate(
      IpPrefix cidr, int count, Requester requester, Reservations reservations) {
    return writer.allocate(
        blocks.queue(cidr),
        requester,
        new BlockRequest<>(
            edit -> {
              requester.check(edit);
              return edit.addresses(edit.allocate(count, requester.attributes(), reservations));
            },
            allocated -> allocated.size() == count,
            requester.handles(),
            requester.pinned(),
            requester.conditions(),
            null));
  }

  /** Allocates this address. */
  public void allocateOne(IpPrefix cidr, IpAddress address, Requester requester) {
    writer.allocate(
        blocks.queue(cidr),
        requester,
        new BlockRequest<>(
            edit -> {
              requester.check(edit);
              int ordinal = BlockEdit.ordinal(cidr, address);
              IpamBlock.Attributes owner = edit.attributes(ordinal);
              if (owner != null) {
                throw new IpamException(
                    IpamException.Reason.ADDRESS_TAKEN,
                    owner.isCoolingDown()
                        ? "address %s is in cooldown: it was released at %s: wait for IPAM's ipCooldownSeconds, or take another"
                            .formatted(address, owner.releasedAt())
                        : "address %s is already assigned, to handle %s: release it, or take another"
                            .formatted(address, owner.handle()));
              }
              edit.assign(List.of(ordinal), requester.attributes());
              return List.of(address);
            },
            _ -> true,
            requester.handles(),
            requester.pinned(),
            requester.conditions(),
            null));
  }
}
