package io.ocicat.ipam.block;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.Reservations;
import io.ocicat.ipam.model.IpamException;
import java.util.List;

/** Allocates addresses from a block and updates the handle's count. Thread-safe. */
public final class BlockAssigner {
  private final IpamRecords records;
  private final Blocks blocks;
  private final Handles handles;
  private final HandleCounts counts;

  public BlockAssigner(IpamRecords records, Blocks blocks, Handles handles, HandleCounts counts) {
    this.records = records;
    this.blocks = blocks;
    this.handles = handles;
    this.counts = counts;
  }

  /**
   * Allocates up to {@code count} addresses that are not reserved; finding none is not an error.
   */
  public List<IpAddress> allocate(
      IpPrefix cidr, int count, Requester requester, Reservations reservations) {
    return counted(
        cidr,
        requester,
        new BlockRequest<>(
            edit -> {
              requester.check(edit);
              return edit.addresses(edit.allocate(count, requester.attributes(), reservations));
            },
            taken -> taken.size() == count,
            requester.handles(),
            requester.pinned(),
            requester.conditions(),
            null));
  }

  /** Allocates this address. */
  public void allocateOne(IpPrefix cidr, IpAddress address, Requester requester) {
    counted(
        cidr,
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

  private List<IpAddress> counted(
      IpPrefix cidr, Requester requester, BlockRequest<List<IpAddress>> request) {
    String handle = requester.attributes().handle();
    if (records.hasTransactions() || handle == null) {
      return blocks.queue(cidr).perform(request);
    }
    CountedHandle known = requester.counted();
    HandleCounter counter =
        new HandleCounter(
            known == null ? new CountedHandle(handles, handle) : known,
            cidr,
            requester.mostPerHandle());
    return countedFirst(cidr, handle, counter, request);
  }

  private List<IpAddress> countedFirst(
      IpPrefix cidr, String handle, HandleCounter counter, BlockRequest<List<IpAddress>> request) {
    try {
      List<IpAddress> taken = blocks.queue(cidr).perform(request.countedBy(counter));
      if (taken.size() < counter.counted()) {
        counts.recountQuietly(handle, cidr);
      }
      return taken;
    } catch (RuntimeException e) {
      boolean unknown = e instanceof UnavailableException lost && lost.outcomeUnknown();
      Resource added = counter.added();
      if (added != null && e instanceof CorruptException) {
        // Nobody can count in a block that cannot be read.
        counts.revertQuietly(added, cidr, counter.counted());
      } else if (added != null && !unknown) {
        counts.recountQuietly(handle, cidr);
      }
      throw e;
    }
  }
}
