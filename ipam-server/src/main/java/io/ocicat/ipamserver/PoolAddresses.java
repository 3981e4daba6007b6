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
 * Which addresses of a pool are free: a picture of the database. Addresses that were handed out
 * before the configuration changed and that are in no range any more are not in it. Not
 * thread-safe.
 */
final class PoolAddresses {
  private final List<Part> parts;

  /** How full it is. */
  record Level(BigInteger capacity, long used, long resting) {}

  /** An address and its surroundings. */
  record Found(IpPrefix address, @Nullable IpAddress gateway) {}

  /** One range; addresses are handed out in turn, so that one released last is reused last. */
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

  /** The next free address of a family, without taking it. */
  Optional<Found> next(AddressFamily family) {
    return parts.stream()
        .filter(part -> part.range.family() == family)
        .flatMap(part -> part.free.next(part.cursor).map(part::found).stream())
        .findFirst();
  }

  /** Where an address belongs, free or not; nothing when it is none that may be handed out. */
  Optional<Found> find(IpAddress address) {
    return part(address).map(part -> part.found(address));
  }

  boolean isFree(IpAddress address) {
    return part(address).filter(part -> part.free.isFree(address)).isPresent();
  }

  boolean isResting(IpAddress address) {
    return part(address).filter(part -> part.resting.contains(address)).isPresent();
  }

  /** It is somebody's now. */
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

  /** It is nobody's but not to be handed out yet. */
  void rest(IpAddress address) {
    part(address)
        .ifPresent(
            part -> {
              part.resting.add(address);
              part.free.take(address);
            });
  }

  /** Its owner gave it back: it rests. */
  void giveBack(IpAddress address) {
    part(address).ifPresent(part -> part.used--);
    rest(address);
  }

  /** It has rested. */
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
