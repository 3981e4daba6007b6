package io.ocicat.agent.kernel;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.route.Address;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The node's links and their addresses as the kernel last reported them. For one thread.
 *
 * <p>Links are told apart by index: a new link under an old name is another link.
 */
public final class LinkTable {
  private final LongSupplier nanoTime;
  private final Map<Integer, Link> byIndex = new HashMap<>();
  private final Map<String, Integer> byName = new HashMap<>();
  private final Map<Integer, Set<IpPrefix>> addresses = new HashMap<>();
  private final Map<Integer, Long> firstSeen = new HashMap<>();

  LinkTable(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Replaces everything by what a dump showed. */
  void replaceAll(List<Link> links, List<Address> all) {
    Set<Integer> present = new LinkedHashSet<>();
    links.forEach(link -> present.add(link.index()));
    List.copyOf(byIndex.keySet()).stream()
        .filter(index -> !present.contains(index))
        .forEach(this::remove);
    links.forEach(this::put);
    addresses.clear();
    all.forEach(this::put);
  }

  /**
   * Takes note of a link.
   *
   * @return what it was before; null for a new one
   */
  @Nullable Link put(Link link) {
    Link before = byIndex.put(link.index(), link);
    if (before == null) {
      firstSeen.put(link.index(), nanoTime.getAsLong());
    } else if (!before.name().equals(link.name())) {
      byName.remove(before.name(), link.index());
    }
    byName.put(link.name(), link.index());
    return before;
  }

  void remove(int index) {
    Link link = byIndex.remove(index);
    addresses.remove(index);
    firstSeen.remove(index);
    if (link != null) {
      byName.remove(link.name(), index);
    }
  }

  void put(Address address) {
    addresses
        .computeIfAbsent(address.device().index(), _ -> new LinkedHashSet<>())
        .add(address.prefix());
  }

  void remove(Address address) {
    addresses.computeIfPresent(
        address.device().index(),
        (_, prefixes) -> {
          prefixes.remove(address.prefix());
          return prefixes;
        });
  }

  Optional<Link> find(String name) {
    return Optional.ofNullable(byName.get(name)).map(byIndex::get);
  }

  Optional<Link> find(int index) {
    return Optional.ofNullable(byIndex.get(index));
  }

  /** The name of a link; empty when there is none with that index. */
  String name(int index) {
    return find(index).map(Link::name).orElse("");
  }

  public Collection<Link> all() {
    return Collections.unmodifiableCollection(byIndex.values());
  }

  /** The addresses of a link, in the order they were added. */
  public Set<IpPrefix> addresses(int index) {
    return Collections.unmodifiableSet(addresses.getOrDefault(index, Set.of()));
  }

  /** How long the link has been known, in nanoseconds. */
  long age(int index) {
    return nanoTime.getAsLong() - firstSeen.getOrDefault(index, nanoTime.getAsLong());
  }
}
