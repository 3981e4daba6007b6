package io.ocicat.ipam;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Calico's rules in their simplest form: who may have an address, and how many are available. It
 * does not predict which of several equal addresses or blocks is chosen; it is given the choice,
 * and checks that it was valid.
 */
final class RulesModel {
  private static final Duration LEFT_TO_OWNER = Duration.ofSeconds(60);

  /** A pool, which may change. */
  static final class Pool {
    final String name;
    final IpPrefix cidr;
    final int blockSize;
    boolean enabled = true;
    Set<IpPool.Use> uses = Set.of(IpPool.Use.WORKLOAD, IpPool.Use.TUNNEL);

    Pool(String name, IpPrefix cidr, int blockSize) {
      this.name = name;
      this.cidr = cidr;
      this.blockSize = blockSize;
    }

    IpPrefix blockOf(IpAddress address) {
      return IpPrefix.of(address, blockSize).network();
    }

    List<IpPrefix> blocks() {
      List<IpPrefix> all = new ArrayList<>();
      int size = 1 << (32 - blockSize);
      for (int i = 0; i < 1 << (blockSize - cidr.length()); i++) {
        all.add(IpPrefix.of(cidr.first().plus((long) i * size), blockSize));
      }
      return all;
    }
  }

  /** A block that exists. */
  static final class Block {
    @Nullable String owner;
    final Instant claimed;
    final Map<IpAddress, String> held = new TreeMap<>();
    final Map<IpAddress, Instant> released = new TreeMap<>();

    Block(String owner, Instant claimed) {
      this.owner = owner;
      this.claimed = claimed;
    }
  }

  final List<Pool> pools = new ArrayList<>();
  final Map<IpPrefix, Block> blocks = new TreeMap<>();
  List<IpPrefix> reserved = List.of();
  boolean strict;
  int maxBlocks;
  int cooldown;
  Instant now = Instant.parse("2026-01-01T00:00:00Z");

  List<Pool> usable(IpPool.Use use) {
    return pools.stream().filter(pool -> pool.enabled && pool.uses.contains(use)).toList();
  }

  @Nullable Pool enabledFor(IpAddress address) {
    return pools.stream()
        .filter(pool -> pool.enabled && pool.cidr.contains(address))
        .findFirst()
        .orElse(null);
  }

  @Nullable Pool of(IpAddress address) {
    return pools.stream().filter(pool -> pool.cidr.contains(address)).findFirst().orElse(null);
  }

  boolean isReserved(IpAddress address) {
    return reserved.stream().anyMatch(cidr -> cidr.contains(address));
  }

  private boolean isOver(Instant released) {
    return cooldown == 0 || released.plusSeconds(cooldown).isBefore(now);
  }

  boolean isFree(Block block, IpAddress address) {
    Instant released = block.released.get(address);
    return !block.held.containsKey(address) && (released == null || isOver(released));
  }

  private static List<IpAddress> addresses(IpPrefix cidr) {
    List<IpAddress> all = new ArrayList<>();
    for (int i = 0; i < 1 << (32 - cidr.length()); i++) {
      all.add(cidr.first().plus(i));
    }
    return all;
  }

  private int room(IpPrefix cidr) {
    Block block = blocks.get(cidr);
    return (int)
        addresses(cidr).stream()
            .filter(a -> !isReserved(a) && (block == null || isFree(block, a)))
            .count();
  }

  boolean isEmpty(Block block) {
    return block.held.isEmpty() && block.released.values().stream().allMatch(this::isOver);
  }

  boolean isWithin(List<Pool> some, IpPrefix block) {
    return some.stream().anyMatch(pool -> pool.cidr.contains(block.first()));
  }

  boolean isReclaimable(Block block, String host) {
    return block.owner != null
        && !block.owner.equals(host)
        && isEmpty(block)
        && block.claimed.isBefore(now.minus(LEFT_TO_OWNER));
  }

  /**
   * How many addresses a host must get, after it has claimed what it could.
   *
   * @return -1 when it should have claimed one more block
   */
  int expected(String host, int wanted, IpPool.Use use, int requestedBlocks) {
    List<Pool> usable = usable(use);
    int have = 0;
    int borrowable = 0;
    for (Map.Entry<IpPrefix, Block> entry : blocks.entrySet()) {
      if (!isWithin(usable, entry.getKey())) {
        continue;
      }
      if (host.equals(entry.getValue().owner)) {
        have += room(entry.getKey());
      } else {
        borrowable += room(entry.getKey());
      }
    }
    if (have >= wanted) {
      return wanted;
    }
    if (owned(host, usable) >= limit(requestedBlocks)) {
      return have;
    }
    if (hasFresh(usable) || hasReclaimable(usable, host)) {
      return -1;
    }
    return strict ? have : Math.min(wanted, have + borrowable);
  }

  int owned(String host, List<Pool> usable) {
    return (int)
        blocks.entrySet().stream()
            .filter(e -> isWithin(usable, e.getKey()) && host.equals(e.getValue().owner))
            .count();
  }

  /** Whether there is a block that does not exist yet. */
  boolean hasFresh(List<Pool> usable) {
    return usable.stream()
        .flatMap(pool -> pool.blocks().stream())
        .anyMatch(cidr -> !blocks.containsKey(cidr) && !isCovered(cidr));
  }

  private boolean hasReclaimable(List<Pool> usable, String host) {
    return blocks.entrySet().stream()
        .anyMatch(
            entry ->
                isWithin(usable, entry.getKey())
                    && !isCovered(entry.getKey())
                    && isReclaimable(entry.getValue(), host));
  }

  /** Addresses whose cooldown is over are free for good, whatever the settings are later. */
  void collect() {
    for (IpPrefix cidr : List.copyOf(blocks.keySet())) {
      Block block = blocks.get(cidr);
      if (block != null
          && block.released.values().removeIf(this::isOver)
          && block.owner == null
          && isEmpty(block)) {
        blocks.remove(cidr);
      }
    }
  }

  int limit(int requested) {
    int limit = requested == 0 ? maxBlocks : requested;
    if (requested > 0 && maxBlocks > 0) {
      limit = Math.min(requested, maxBlocks);
    }
    return limit == 0 ? 20 : limit;
  }

  boolean isCovered(IpPrefix block) {
    return reserved.stream()
        .anyMatch(cidr -> cidr.length() <= block.length() && cidr.contains(block.first()));
  }

  void give(IpPrefix cidr, IpAddress address, String handle) {
    Block block = blocks.get(cidr);
    if (block == null) {
      throw new AssertionError("no block " + cidr);
    }
    block.held.put(address, handle);
    block.released.remove(address);
  }

  void claim(IpPrefix cidr, String host) {
    blocks.put(cidr, new Block(host, now.truncatedTo(ChronoUnit.SECONDS)));
  }

  /** The addresses of a handle. */
  Set<IpAddress> of(String handle) {
    Set<IpAddress> all = new TreeSet<>();
    blocks
        .values()
        .forEach(
            block ->
                block.held.forEach(
                    (address, holder) -> {
                      if (holder.equals(handle)) {
                        all.add(address);
                      }
                    }));
    return all;
  }

  /** Releases addresses; blocks without an owner are deleted when they become empty. */
  void release(Set<IpAddress> addresses) {
    Set<IpPrefix> touched = new HashSet<>();
    blocks.forEach(
        (cidr, block) -> {
          for (IpAddress address : addresses) {
            if (block.held.remove(address) != null) {
              touched.add(cidr);
              if (cooldown > 0) {
                block.released.put(address, now.truncatedTo(ChronoUnit.SECONDS));
              }
            }
          }
        });
    for (IpPrefix cidr : touched) {
      Block block = blocks.get(cidr);
      if (block != null && block.owner == null && isEmpty(block)) {
        blocks.remove(cidr);
      }
    }
  }

  /** Releases a host's blocks; returns whether all could be. */
  boolean disown(String host, boolean requireEmpty) {
    boolean all = true;
    for (IpPrefix cidr : List.copyOf(blocks.keySet())) {
      Block block = blocks.get(cidr);
      if (block == null || !host.equals(block.owner)) {
        continue;
      }
      if (isEmpty(block)) {
        blocks.remove(cidr);
      } else if (requireEmpty) {
        all = false;
      } else {
        block.owner = null;
      }
    }
    return all;
  }

  /** A summary that does not depend on how it is stored. */
  Map<IpPrefix, String> summary() {
    Map<IpPrefix, String> all = new TreeMap<>();
    blocks.forEach(
        (cidr, block) -> {
          Map<IpAddress, String> told = new TreeMap<>(block.held);
          block.released.forEach(
              (address, when) -> {
                if (!isOver(when)) {
                  told.put(address, "released " + when);
                }
              });
          all.put(cidr, block.owner + " " + told);
        });
    return all;
  }

  /** The same for a block in the datastore. */
  String summary(IpamBlock block) {
    Map<IpAddress, String> told = new TreeMap<>();
    for (int o = 0; o < block.allocations().size(); o++) {
      int index = block.allocations().get(o);
      if (index != IpamBlock.FREE) {
        IpamBlock.Attributes owner = block.attributes().get(index);
        IpAddress address = block.cidr().first().plus(o);
        if (!owner.isCoolingDown()) {
          told.put(address, String.valueOf(owner.handle()));
        } else if (!isOver(owner.releasedAt())) {
          told.put(address, "released " + owner.releasedAt());
        }
      }
    }
    String affinity = block.affinity();
    return (affinity == null ? null : affinity.replaceFirst("^host:", "")) + " " + told;
  }
}
