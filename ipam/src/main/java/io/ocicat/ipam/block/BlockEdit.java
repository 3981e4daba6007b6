package io.ocicat.ipam.block;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamBlock.Attributes;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.Cooldown;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.Reservations;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.HostReserved;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A mutable copy of a block, which turns the changes of several requests into one write. Free
 * addresses are a queue: the one that was released longest ago is assigned next. Not thread-safe.
 */
public final class BlockEdit {
  private static final int LARGEST_BITS = 20;

  private final IpamBlock before;
  private final Cooldown.Source cooldown;
  private final int[] allocations;
  private final List<Integer> free;
  private final List<Attributes> attributes;
  private final Map<Integer, Long> allocatedAt;
  private @Nullable String affinity;
  private @Nullable String claimTime;
  private int changes;

  /**
   * Opens a block for reading.
   *
   * @throws CorruptException when the block contradicts itself in a way that would assign an
   *     address twice
   */
  public BlockEdit(IpamBlock before) {
    this(before, Cooldown.Source.ENDLESS);
  }

  /**
   * Opens a block for changes. Addresses whose cooldown is over are free, which alone is not worth
   * a write.
   *
   * @throws CorruptException when the block contradicts itself in a way that would assign an
   *     address twice
   */
  public BlockEdit(IpamBlock before, Cooldown.Source cooldown) {
    this.before = before;
    this.cooldown = cooldown;
    int capacity = capacity(before.cidr());
    if (before.allocations().size() != capacity) {
      throw new CorruptException(
          "block %s cannot be used: it lists %d addresses and has %d: repair or delete it"
              .formatted(before.cidr(), before.allocations().size(), capacity));
    }
    this.allocations = before.allocations().stream().mapToInt(i -> i).toArray();
    // An ordinal that is listed both as free and in use, or twice, must never be assigned twice.
    LinkedHashSet<Integer> queue = new LinkedHashSet<>();
    for (int ordinal : before.unallocated()) {
      if (ordinal < 0 || ordinal >= capacity) {
        throw new CorruptException(
            "block %s cannot be used: unallocated names %d and it has %d addresses: repair it"
                .formatted(before.cidr(), ordinal, capacity));
      }
      if (allocations[ordinal] == IpamBlock.FREE) {
        queue.add(ordinal);
      }
    }
    this.free = new ArrayList<>(queue);
    this.attributes = new ArrayList<>(before.attributes());
    this.allocatedAt = new TreeMap<>(before.allocatedAt());
    this.affinity = before.affinity();
    this.claimTime = before.claimTime();
    if (Cooldown.concerns(before)) {
      freeCooledDown(cooldown.current());
    }
  }

  private void freeCooledDown(Cooldown cooldown) {
    List<Integer> over = inUse(owner -> owner.isCoolingDown() && cooldown.isOver(owner));
    over.forEach(this::freeNow);
    dropUnused();
  }

  public static int capacity(IpPrefix cidr) {
    int bits = cidr.address().bitLength() - cidr.length();
    if (bits > LARGEST_BITS) {
      throw new CorruptException("block %s is too large".formatted(cidr));
    }
    return 1 << bits;
  }

  /** Returns a new block without assigned addresses, except for those that the host reserves. */
  public static IpamBlock fresh(
      IpPrefix cidr,
      BlockOwner owner,
      String claimTime,
      long sequenceNumber,
      @Nullable HostReserved reserved) {
    int capacity = capacity(cidr);
    Integer[] allocations = new Integer[capacity];
    Arrays.fill(allocations, IpamBlock.FREE);
    List<Integer> free = new ArrayList<>();
    for (int ordinal = 0; ordinal < capacity; ordinal++) {
      if (reserved != null
          && (ordinal < reserved.start() || ordinal >= capacity - reserved.end())) {
        allocations[ordinal] = 0;
      } else {
        free.add(ordinal);
      }
    }
    return new IpamBlock(
        cidr,
        owner.toString(),
        claimTime,
        List.of(allocations),
        free,
        reserved == null ? List.of() : List.of(reserved.attributes()),
        sequenceNumber,
        Map.of(),
        false);
  }

  public IpPrefix cidr() {
    return before.cidr();
  }

  public long sequenceNumber() {
    return before.sequenceNumber();
  }

  public boolean isChanged() {
    return changes > 0;
  }

  /** The number of changes so far, to detect whether a request made one. */
  public int changes() {
    return changes;
  }

  public @Nullable String affinity() {
    return affinity;
  }

  /** The index of an address in its block. */
  static int ordinal(IpPrefix block, IpAddress address) {
    BigInteger offset = address.minus(block.first());
    return offset.intValueExact();
  }

  public IpAddress address(int ordinal) {
    return cidr().first().plus(ordinal);
  }

  public List<IpAddress> addresses(Collection<Integer> ordinals) {
    return ordinals.stream().map(this::address).toList();
  }

  public boolean isFree(int ordinal) {
    return allocations[ordinal] == IpamBlock.FREE;
  }

  /** The owner's attributes; null for a free address. */
  public @Nullable Attributes attributes(int ordinal) {
    int index = allocations[ordinal];
    return index == IpamBlock.FREE ? null : attributes.get(index);
  }

  /** The sequence number at which it was assigned; 0 when unknown. */
  public long allocatedAt(int ordinal) {
    return allocatedAt.getOrDefault(ordinal, 0L);
  }

  /** The number of free addresses, including reserved ones. */
  public int freeCount() {
    return free.size();
  }

  /** The number of addresses available for automatic assignment. */
  public int available(Reservations reservations) {
    if (!reservations.overlaps(cidr())) {
      return free.size();
    }
    return (int) free.stream().filter(o -> !reservations.contains(address(o))).count();
  }

  /**
   * The number of addresses of a block available for automatic assignment, according to its queue.
   */
  public static int room(IpamBlock block, Cooldown.Source cooldown, Reservations reservations) {
    boolean isPlain = block.unallocated().isEmpty() || !reservations.overlaps(block.cidr());
    return isPlain && !Cooldown.concerns(block)
        ? block.unallocated().size()
        : new BlockEdit(block, cooldown).available(reservations);
  }

  /** Allocates up to {@code count} free addresses that are not reserved. */
  public List<Integer> allocate(int count, Attributes owner, Reservations reservations) {
    boolean someReserved = reservations.overlaps(cidr());
    List<Integer> chosen = new ArrayList<>();
    for (int ordinal : free) {
      if (chosen.size() == count) {
        break;
      }
      if (!someReserved || !reservations.contains(address(ordinal))) {
        chosen.add(ordinal);
      }
    }
    assign(chosen, owner);
    return chosen;
  }

  /** Assigns these ordinals, which must be free. */
  public void assign(List<Integer> ordinals, Attributes owner) {
    if (ordinals.isEmpty()) {
      return;
    }
    int index = indexOf(owner);
    for (int ordinal : ordinals) {
      allocations[ordinal] = index;
      allocatedAt.put(ordinal, sequenceNumber());
    }
    free.removeAll(ordinals);
    changes++;
  }

  /** Returns the index of these attributes, adding them if missing. Mostly the handle differs. */
  private int indexOf(Attributes owner) {
    for (int index = 0; index < attributes.size(); index++) {
      Attributes known = attributes.get(index);
      if (Objects.equals(known.handle(), owner.handle()) && known.equals(owner)) {
        return index;
      }
    }
    attributes.add(owner);
    return attributes.size() - 1;
  }

  /** Releases these ordinals, which must be in use: they become free, or start their cooldown. */
  public void free(Collection<Integer> ordinals) {
    if (ordinals.isEmpty()) {
      return;
    }
    Cooldown now = cooldown.current();
    if (now.isNone()) {
      ordinals.forEach(this::freeNow);
    } else {
      // One for each release, even within the same second, as in Calico.
      attributes.add(now.mark());
      ordinals.forEach(ordinal -> allocations[ordinal] = attributes.size() - 1);
    }
    changes++;
    dropUnused();
  }

  private void freeNow(int ordinal) {
    allocations[ordinal] = IpamBlock.FREE;
    allocatedAt.remove(ordinal);
    free.add(ordinal);
  }

  /** Removes unreferenced attributes and renumbers the others. */
  private void dropUnused() {
    boolean[] used = new boolean[attributes.size()];
    for (int index : allocations) {
      if (index != IpamBlock.FREE) {
        used[index] = true;
      }
    }
    int[] moved = new int[used.length];
    List<Attributes> kept = new ArrayList<>();
    for (int i = 0; i < used.length; i++) {
      moved[i] = kept.size();
      if (used[i]) {
        kept.add(attributes.get(i));
      }
    }
    if (kept.size() < attributes.size()) {
      attributes.clear();
      attributes.addAll(kept);
      for (int ordinal = 0; ordinal < allocations.length; ordinal++) {
        if (allocations[ordinal] != IpamBlock.FREE) {
          allocations[ordinal] = moved[allocations[ordinal]];
        }
      }
    }
  }

  /** Replaces the attributes of an assigned address. */
  public void changeOwner(int ordinal, Attributes owner) {
    int index = indexOf(owner);
    changes += allocations[ordinal] != index ? 1 : 0;
    allocations[ordinal] = index;
    dropUnused();
  }

  /** Assigns an address in use to another owner within its handle. */
  void reassign(int ordinal) {
    allocatedAt.put(ordinal, sequenceNumber());
    changes++;
  }

  public void disown() {
    affinity = null;
    claimTime = null;
    changes++;
  }

  /**
   * Keeps addresses whose cooldown is over as free in the result; returns whether there are any.
   */
  public boolean keepFreed() {
    boolean any = !free.equals(before.unallocated());
    changes += any ? 1 : 0;
    return any;
  }

  /** Returns a block with nothing changed but its sequence number. */
  static Resource touched(IpamRecords.Stored<IpamBlock> block, Cooldown.Source cooldown) {
    BlockEdit edit = new BlockEdit(block.value(), cooldown);
    edit.touch();
    return edit.result().applyTo(block.resource());
  }

  /**
   * Forces a write although nothing changed: concurrent writers based on the old revision must
   * fail.
   */
  void touch() {
    changes++;
  }

  /** Repairs the queue of free addresses: each once, none that is in use, none missing. */
  public void repairQueue() {
    LinkedHashSet<Integer> queue = new LinkedHashSet<>(free);
    IntStream.range(0, allocations.length).filter(this::isFree).forEach(queue::add);
    free.clear();
    free.addAll(queue);
    changes += free.equals(before.unallocated()) ? 0 : 1;
  }

  public List<Integer> ordinalsOf(String handle) {
    return inUse(
        owner ->
            owner.handle() != null && CalicoConventions.sanitize(owner.handle()).equals(handle));
  }

  public List<Integer> inUse(Predicate<Attributes> wanted) {
    return IntStream.range(0, allocations.length)
        .filter(o -> !isFree(o) && wanted.test(attributes.get(allocations[o])))
        .boxed()
        .toList();
  }

  /** Whether nothing but the host's own reservation is assigned, and no address is in cooldown. */
  public boolean isEmpty() {
    return inUse(o -> !HostReserved.isReserved(o.handle())).isEmpty();
  }

  /** The handles with addresses in it now, and how many each. */
  public Map<String, Integer> handles() {
    return inUse(owner -> owner.handle() != null).stream()
        .map(o -> attributes.get(allocations[o]).handle())
        .collect(
            Collectors.toMap(
                handle -> CalicoConventions.sanitize(String.valueOf(handle)),
                _ -> 1,
                Integer::sum,
                TreeMap::new));
  }

  /** The block to write. */
  public IpamBlock result() {
    return new IpamBlock(
        cidr(),
        affinity,
        claimTime,
        Arrays.stream(allocations).boxed().toList(),
        free,
        attributes,
        before.sequenceNumber() + 1,
        allocatedAt,
        before.deleted());
  }
}
