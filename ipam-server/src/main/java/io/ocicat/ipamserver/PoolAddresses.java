package io.ocicat.ipamserver;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An index in memory of a pool's free addresses, derived from the database. Addresses that were
 * allocated before the configuration changed and that are no longer in any range are not in it. Not
 * thread-safe.
 */
final class PoolAddresses {
  private final List<Part> parts;

  /** The utilisation of a family. */
  record Level(BigInteger capacity, long used, long resting) {}

  /** An address with its gateway. */
  record Found(IpPrefix address, @Nullable IpAddress gateway) {}

  /** One range; addresses are allocated in turn, so that the one released last is reused last. */
  private static final class Part {
    private final PoolRange range;
    private final FreeAddresses usable;
    private final FreeAddresses free;
    private final BigInteger capacity;
    private final Set<IpAddress> resting = new HashSet<>();
    private IpAddress cursor;
    private long used;

    Part(PoolRange range) {
      this.range = range;
      this.usable = range.addresses();
      this.free = range.addresses();
      this.capacity = usable.count();
      this.cursor = range.last();
    }

    Level level() {
      return new Level(capacity, used, resting.size());
    }

    Found found(IpAddress address) {
      return new Found(IpPrefix.of(address, range.subnet().length()), range.gateway());
    }
  }

  PoolAddresses(List<PoolRange> ranges) {
    parts = ranges.stream().map(Part::new).toList();
  }

  Level level(AddressFamily family) {
    return parts.stream()
        .filter(part -> part.range.family() == family)
        .map(Part::level)
        .reduce(
            new Level(BigInteger.ZERO, 0, 0),
            (a, b) ->
                new Level(a.capacity.add(b.capacity), a.used + b.used, a.resting + b.resting));
  }

  /** Returns the next free address of a family, without allocating it. */
  Optional<Found> next(AddressFamily family) {
    return parts.stream()
        .filter(part -> part.range.family() == family)
        .flatMap(part -> part.free.next(part.cursor).map(part::found).stream())
        .findFirst();
  }

  /** Returns the address with its gateway, free or not; empty when it is not in any range. */
  Optional<Found> find(IpAddress address) {
    return part(address).map(part -> part.found(address));
  }

  boolean isFree(IpAddress address) {
    return part(address).filter(part -> part.free.isFree(address)).isPresent();
  }

  boolean isResting(IpAddress address) {
    return part(address).filter(part -> part.resting.contains(address)).isPresent();
  }

  /** Marks the address as allocated. */
  void use(IpAddress address) {
    part(address)
        .ifPresent(
            part -> {
              part.used++;
              part.resting.remove(address);
              part.free.take(address);
              part.cursor = address;
            });
  }

  /** Marks the address as held back: not allocated, and not free yet. */
  void rest(IpAddress address) {
    part(address)
        .ifPresent(
            part -> {
              part.resting.add(address);
              part.free.take(address);
            });
  }

  /** Marks an allocated address as held back. */
  void giveBack(IpAddress address) {
    part(address).ifPresent(part -> part.used--);
    rest(address);
  }

  /** Marks an address as free whose hold is over. */
  void release(IpAddress address) {
    part(address)
        .ifPresent(
            part -> {
              part.resting.remove(address);
              part.free.release(address);
            });
  }

  private Optional<Part> part(IpAddress address) {
    return parts.stream().filter(part -> part.usable.isFree(address)).findFirst();
  }
}
