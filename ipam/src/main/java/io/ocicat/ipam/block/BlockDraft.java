package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamBlock.Attributes;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.Write;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.Cooldown;
import io.ocicat.ipam.cluster.IpamRecords;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A block as it will be after a batch of requests, and the writes for that. */
final class BlockDraft {
  private final IpamRecords.Stored<IpamBlock> base;
  private final BlockEdit edit;
  private final IpamBlock result;
  private final Map<String, Integer> counts;
  private final TreeSet<String> handles = new TreeSet<>();
  private final Map<ResourceKey, Write.Expect> conditions = new LinkedHashMap<>();
  private boolean needsFreshRead;

  /**
   * Applies each request; an exception that one throws is its result.
   *
   * @param readNumber the number of the datastore read that the block is from
   */
  BlockDraft(
      IpamRecords.Stored<IpamBlock> base,
      Cooldown.Source cooldown,
      long readNumber,
      List<PendingRequest<?>> requests) {
    this.base = base;
    this.edit = new BlockEdit(base.value(), cooldown);
    for (PendingRequest<?> pending : requests) {
      int before = edit.changes();
      needsFreshRead |= !pending.apply(edit) && !pending.cameBefore(readNumber);
      if (edit.changes() != before) {
        handles.addAll(pending.request().handles());
      }
      pending.request().conditions().forEach(c -> conditions.put(c.key(), c));
    }
    this.result = edit.result();
    this.counts = edit.handles();
  }

  public boolean isChanged() {
    return edit.isChanged();
  }

  /** Whether a request got a result that is only valid for a block from a later read. */
  boolean needsFreshRead() {
    return needsFreshRead;
  }

  /**
   * Whether to delete the block: one without an owner and without assigned addresses is not kept.
   */
  public boolean isDeletion() {
    return result.affinity() == null && edit.isEmpty();
  }

  public IpPrefix cidr() {
    return result.cidr();
  }

  public IpamBlock result() {
    return result;
  }

  public Resource resource() {
    return result.applyTo(base.resource());
  }

  public Resource read() {
    return base.resource();
  }

  public Set<String> handles() {
    return handles;
  }

  /** How many addresses of the block a handle will have. */
  public int count(String handle) {
    return counts.getOrDefault(handle, 0);
  }

  /**
   * Returns all writes for a datastore with transactions. A handle's count for this block becomes
   * what the block says, whatever it was.
   *
   * @param known the handles concerned, as far as they exist
   */
  public List<Write> writes(Map<String, @Nullable Resource> known) {
    List<Write> writes = new ArrayList<>();
    writes.add(isDeletion() ? new Write.Delete(read()) : new Write.Update(resource()));
    for (String id : handles) {
      handleWrite(id, Optional.ofNullable(known.get(id)), count(id)).ifPresent(writes::add);
    }
    writes.addAll(conditions.values());
    return writes;
  }

  private Optional<Write> handleWrite(String id, Optional<Resource> stored, int count) {
    if (stored.isEmpty()) {
      return count == 0
          ? Optional.empty()
          : Optional.of(
              new Write.Create(new IpamHandle(id, Map.of(cidr(), count), false).toResource()));
    }
    IpamHandle handle = IpamHandle.of(stored.get());
    Map<IpPrefix, Integer> counts = new TreeMap<>(handle.counts());
    if (count == 0) {
      counts.remove(cidr());
    } else {
      counts.put(cidr(), count);
    }
    if (counts.isEmpty()) {
      return Optional.of(new Write.Delete(stored.get()));
    }
    return counts.equals(handle.counts())
        ? Optional.of(new Write.Expect(stored.get().key(), stored.get().revision()))
        : Optional.of(new Write.Update(new IpamHandle(id, counts, false).applyTo(stored.get())));
  }

  /** Whether every address was allocated without a handle: writes of others may look the same. */
  boolean isAnonymous() {
    return assignsAny() && !isRecognisable();
  }

  private boolean assignsAny() {
    return changedOrdinals().anyMatch(this::isNewlyAssigned);
  }

  /** Whether it assigns an address to a handle, by which this write can be told from others. */
  boolean isRecognisable() {
    return changedOrdinals()
        .filter(this::isNewlyAssigned)
        .mapToObj(o -> Optional.ofNullable(at(result, o)))
        .flatMap(Optional::stream)
        .anyMatch(owner -> owner.handle() != null);
  }

  /** Whether the address is newly assigned; addresses in cooldown belong to nobody. */
  private boolean isNewlyAssigned(int ordinal) {
    return !isAssigned(base.value(), ordinal) && isAssigned(result, ordinal);
  }

  private static boolean isAssigned(IpamBlock block, int ordinal) {
    Attributes owner = at(block, ordinal);
    return owner != null && !owner.isCoolingDown();
  }

  private IntStream changedOrdinals() {
    return IntStream.range(0, result.allocations().size())
        .filter(
            o ->
                !Objects.equals(result.allocatedAt().get(o), base.value().allocatedAt().get(o))
                    || !Objects.equals(at(result, o), at(base.value(), o)));
  }

  private static @Nullable Attributes at(IpamBlock block, int ordinal) {
    int index = block.allocations().get(ordinal);
    return index == IpamBlock.FREE ? null : block.attributes().get(index);
  }

  /**
   * Releases what this draft assigns, in case it is written after its requests were reported as
   * failed. Nobody knows of these addresses then; they are recognised as in {@link #wasWritten}.
   */
  BlockRequest<Boolean> reverting() {
    return new BlockRequest<>(
        now -> {
          now.free(
              changedOrdinals()
                  .filter(o -> at(base.value(), o) == null && at(result, o) != null)
                  .filter(
                      o ->
                          Objects.equals(at(result, o), now.attributes(o))
                              && Objects.equals(result.allocatedAt().get(o), now.allocatedAt(o)))
                  .boxed()
                  .toList());
          return true;
        },
        _ -> true,
        Set.copyOf(handles));
  }

  /**
   * Whether this draft was certainly written although no answer came. Two writers never succeed
   * from the same sequence number, so an address that was assigned at our sequence number, to our
   * handle, was assigned by us. A write that only releases cannot be recognised; repeating it is
   * harmless.
   */
  boolean wasWritten(@Nullable IpamBlock now) {
    return now != null
        && isRecognisable()
        && changedOrdinals()
            .filter(o -> isAssigned(result, o))
            .allMatch(
                o ->
                    Objects.equals(at(result, o), at(now, o))
                        && Objects.equals(now.allocatedAt().get(o), result.allocatedAt().get(o)));
  }
}
