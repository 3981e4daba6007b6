package io.ocicat.ipam;

import io.ocicat.datastore.CorruptException;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.UnavailableException;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes addresses from a block, with its handle's number right. Thread-safe. */
final class Taking {
  private static final int GUESSES = 100;

  private final Records records;
  private final Blocks blocks;
  private final Handles handles;
  private final HandleCounts counts;
  private final Patience patience;

  Taking(Records records, Blocks blocks, Handles handles, HandleCounts counts, Patience patience) {
    this.records = records;
    this.blocks = blocks;
    this.handles = handles;
    this.counts = counts;
    this.patience = patience;
  }

  /** Takes up to {@code count} addresses that are not reserved; none is no error. */
  List<IpAddress> take(IpPrefix cidr, int count, Taker taker, Reservations reservations) {
    int wanted =
        records.together() || taker.attributes().handle() == null
            ? count
            : Math.min(count, available(cidr, reservations));
    if (wanted == 0) {
      return List.of();
    }
    return counted(
        cidr,
        wanted,
        taker,
        new BlockRequest<>(
            edit -> {
              taker.check(edit);
              return edit.addresses(edit.take(wanted, taker.attributes(), reservations));
            },
            taken -> taken.size() == wanted,
            taker.handles(),
            taker.pinned(),
            taker.conditions(),
            null));
  }

  /** What the block has, so that no more is counted; that it has nothing is only believed read. */
  private int available(IpPrefix cidr, Reservations reservations) {
    BlockQueue queue = blocks.queue(cidr);
    return queue
        .glanceOrRead()
        .map(block -> blocks.edit(block.value()).available(reservations))
        .filter(available -> available > 0)
        .or(() -> queue.read().map(block -> blocks.edit(block.value()).available(reservations)))
        .orElseThrow(() -> Blocks.noSuchBlock(cidr));
  }

  /** Takes this address. */
  void takeOne(IpPrefix cidr, IpAddress address, Taker taker) {
    counted(
        cidr,
        1,
        taker,
        new BlockRequest<>(
            edit -> {
              taker.check(edit);
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
              edit.give(List.of(ordinal), taker.attributes());
              return List.of(address);
            },
            _ -> true,
            taker.handles(),
            taker.pinned(),
            taker.conditions(),
            null));
  }

  private List<IpAddress> counted(
      IpPrefix cidr, int count, Taker taker, BlockRequest<List<IpAddress>> request) {
    String handle = taker.attributes().handle();
    if (records.together() || handle == null) {
      return blocks.queue(cidr).perform(request);
    }
    return countedFirst(cidr, count, taker, handle, request);
  }

  /** The block is read, then counted, then written: see {@link Handles} for why in this order. */
  private List<IpAddress> countedFirst(
      IpPrefix cidr, int count, Taker taker, String handle, BlockRequest<List<IpAddress>> request) {
    BlockQueue queue = blocks.queue(cidr);
    @Nullable Resource added = null;
    try {
      for (int i = 0; i < GUESSES; i++) {
        String base =
            queue
                .glanceOrRead()
                .map(block -> block.resource().revision())
                .orElseThrow(() -> Blocks.noSuchBlock(cidr));
        added =
            added == null
                ? handles.add(handle, cidr, count, taker.mostPerHandle())
                : handles.renew(added, cidr, count, taker.mostPerHandle());
        try {
          List<IpAddress> taken = queue.perform(request.startingFrom(base));
          if (taken.size() < count) {
            counts.recountQuietly(handle, cidr);
          }
          return taken;
        } catch (StaleViewException _) {
          patience.afterConflict(i);
        }
      }
      throw Blocks.tooManyConflicts(cidr, GUESSES);
    } catch (RuntimeException e) {
      boolean unknown = e instanceof UnavailableException lost && lost.outcomeUnknown();
      if (added != null && e instanceof CorruptException) {
        // Nobody can count in a block that cannot be read.
        counts.takeBackQuietly(added, cidr, count);
      } else if (added != null && !unknown) {
        counts.recountQuietly(handle, cidr);
      }
      throw e;
    }
  }
}
