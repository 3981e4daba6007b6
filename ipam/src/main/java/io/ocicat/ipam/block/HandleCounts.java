package io.ocicat.ipam.block;

import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.Write;
import io.ocicat.datastore.resource.WriteOutcome;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.model.IpamException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Corrects the counts that handles keep per block, and releases a handle's addresses of a block.
 * Thread-safe.
 */
public final class HandleCounts {
  /** So many blocks are released at the same time. */
  private static final int AT_ONCE = 32;

  private final IpamRecords records;
  private final Blocks blocks;
  private final Handles handles;

  public HandleCounts(IpamRecords records, Blocks blocks, Handles handles) {
    this.records = records;
    this.blocks = blocks;
    this.handles = handles;
  }

  /**
   * What was released of one block.
   *
   * @param isGone whether the handle is known to have had no other block, and is deleted
   */
  public record Released(List<IpAddress> addresses, boolean isGone) {}

  /**
   * Gives back all that a handle has of a block, and the handle no longer names the block, where
   * both are written at one moment; else see {@link #releaseAll}.
   *
   * <p>When the block has no address of the handle, another process may have updated the count and
   * not yet written the block, or have died in between. The block is written all the same, so that
   * such a write fails and its writer counts again; only then is the count removed.
   */
  public Released release(IpPrefix cidr, IpamRecords.Stored<IpamHandle> handle) {
    String id = handle.value().id();
    PendingRequest<List<IpAddress>> served = serveRelease(cidr, id);
    List<IpAddress> released;
    try {
      released = served.answer();
    } catch (IpamException e) {
      if (e.reason() != IpamException.Reason.NO_SUCH_BLOCK) {
        throw e;
      }
      dropEntry(cidr, handle);
      return new Released(List.of(), false);
    }
    return new Released(released, served.hasDeleted(id));
  }

  private PendingRequest<List<IpAddress>> serveRelease(IpPrefix cidr, String id) {
    return blocks
        .queue(cidr)
        .serve(
            new BlockRequest<>(
                edit -> {
                  List<Integer> ordinals = edit.ordinalsOf(id);
                  edit.touch();
                  List<IpAddress> addresses = edit.addresses(ordinals);
                  edit.free(ordinals);
                  return addresses;
                },
                addresses -> !addresses.isEmpty(),
                Set.of(id)));
  }

  /**
   * Gives back all that a handle has of the blocks that it names, where each record is written for
   * itself: the blocks at the same time, then the handle.
   *
   * @param written is told of the blocks before the handle is written
   */
  public Released releaseAll(
      IpamRecords.Stored<IpamHandle> handle, Consumer<List<IpPrefix>> written) {
    String id = handle.value().id();
    Map<IpPrefix, Integer> left = new TreeMap<>(handle.value().counts());
    List<IpPrefix> some = left.keySet().stream().limit(AT_ONCE).toList();
    List<IpAddress> released = new ArrayList<>();
    List<Optional<PendingRequest<List<IpAddress>>>> all =
        Prefetch.all(
            some.stream()
                .<Supplier<Optional<PendingRequest<List<IpAddress>>>>>map(
                    cidr -> () -> released(cidr, id))
                .toList());
    for (int i = 0; i < some.size(); i++) {
      int count = all.get(i).map(served -> served.count(id)).orElse(0);
      if (count == 0) {
        left.remove(some.get(i));
      } else {
        left.put(some.get(i), count);
      }
      all.get(i).ifPresent(served -> released.addAll(served.answer()));
    }
    written.accept(some);
    if (left.isEmpty()) {
      return new Released(released, handles.delete(handle.resource()));
    }
    handles.write(handle.resource(), new IpamHandle(id, left, false));
    return new Released(released, false);
  }

  /** Empty when the block is gone, and with it every write that was meant for it. */
  private Optional<PendingRequest<List<IpAddress>>> released(IpPrefix cidr, String id) {
    PendingRequest<List<IpAddress>> served = serveRelease(cidr, id);
    try {
      served.answer();
      return Optional.of(served);
    } catch (IpamException e) {
      if (e.reason() == IpamException.Reason.NO_SUCH_BLOCK) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Makes all that a handle says what the blocks say. */
  public void recountAll(IpamHandle handle) {
    for (IpPrefix block : handle.counts().keySet()) {
      records.handle(handle.id()).ifPresent(current -> recount(block, current));
    }
  }

  /**
   * Sets a handle's count for a block to what the block says. The block is written as well, so that
   * a process that has updated the count and not yet written the block counts again.
   */
  public void recount(IpPrefix cidr, IpamRecords.Stored<IpamHandle> handle) {
    int count;
    try {
      count = recount(handle.value().id(), cidr);
    } catch (IpamException e) {
      if (e.reason() != IpamException.Reason.NO_SUCH_BLOCK) {
        throw e;
      }
      dropEntry(cidr, handle);
      return;
    }
    if (!records.hasTransactions()) {
      handles.set(handle, cidr, count);
    }
  }

  /**
   * Like the other {@code recount}, with transactions; without, the caller maintains the handle.
   */
  public int recount(String id, IpPrefix cidr) {
    PendingRequest<Boolean> served =
        blocks
            .queue(cidr)
            .serve(
                new BlockRequest<>(
                    edit -> {
                      edit.touch();
                      return true;
                    },
                    _ -> true,
                    Set.of(id)));
    served.answer();
    return served.count(id);
  }

  /** A count that stays too high is safe, and the next reader corrects it. */
  public void recountQuietly(String handle, IpPrefix cidr) {
    try {
      records.handle(handle).ifPresent(now -> recount(cidr, now));
    } catch (DatastoreException | IpamException _) {
      // The request's own failure matters more.
    }
  }

  /**
   * Reverts the count for addresses that were certainly not allocated, if the handle is unchanged;
   * otherwise the count stays too high.
   */
  public void revertQuietly(Resource added, IpPrefix cidr, int count) {
    IpamHandle handle = IpamHandle.of(added);
    Map<IpPrefix, Integer> counts = new TreeMap<>(handle.counts());
    counts.merge(cidr, -count, Integer::sum);
    counts.values().removeIf(left -> left <= 0);
    try {
      handles.write(added, new IpamHandle(handle.id(), counts, false));
    } catch (DatastoreException _) {
      // The request's own failure matters more.
    }
  }

  /** Deletes a handle that names no block. */
  public void drop(IpamRecords.Stored<IpamHandle> handle) {
    handles.write(handle.resource(), new IpamHandle(handle.value().id(), Map.of(), false));
    blocks.recent().update(handle.resource().key(), null);
  }

  /** The block is gone, and with it every write that was meant for it. */
  private void dropEntry(IpPrefix cidr, IpamRecords.Stored<IpamHandle> handle) {
    IpamHandle left = without(cidr, handle.value());
    if (!records.hasTransactions()) {
      handles.write(handle.resource(), left);
      return;
    }
    Write write =
        left.counts().isEmpty()
            ? new Write.Delete(handle.resource())
            : new Write.Update(left.applyTo(handle.resource()));
    WriteOutcome outcome =
        records
            .datastore()
            .commit(List.of(new Write.Expect(new ResourceKey.Block(cidr), ""), write));
    blocks
        .recent()
        .update(
            handle.resource().key(),
            outcome instanceof WriteOutcome.Done done
                ? done.stored().get(handle.resource().key())
                : null);
  }

  private static IpamHandle without(IpPrefix cidr, IpamHandle handle) {
    Map<IpPrefix, Integer> counts = new TreeMap<>(handle.counts());
    counts.remove(cidr);
    return new IpamHandle(handle.id(), counts, false);
  }
}
