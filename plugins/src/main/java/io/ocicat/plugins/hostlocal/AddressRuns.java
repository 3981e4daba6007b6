package io.ocicat.plugins.hostlocal;

import io.ocicat.ip.IpAddress;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A set of addresses, stored as runs of consecutive addresses. The first address that is not in it
 * is found in O(log n) however long the runs are, in an IPv6 subnet as in a /29. Not thread-safe.
 */
final class AddressRuns {
  /** The last address of each run by its first. No two runs touch. */
  private final TreeMap<IpAddress, IpAddress> runs = new TreeMap<>();

  void add(IpAddress address) {
    if (contains(address)) {
      return;
    }
    IpAddress first = address;
    IpAddress last = address;
    Map.Entry<IpAddress, IpAddress> before = runs.lowerEntry(address);
    if (before != null && touch(before.getValue(), address)) {
      first = before.getKey();
    }
    Map.Entry<IpAddress, IpAddress> behind = runs.higherEntry(address);
    if (behind != null && touch(address, behind.getKey())) {
      last = behind.getValue();
      runs.remove(behind.getKey());
    }
    runs.put(first, last);
  }

  void remove(IpAddress address) {
    Map.Entry<IpAddress, IpAddress> run = runs.floorEntry(address);
    if (run == null || run.getValue().compareTo(address) < 0) {
      return;
    }
    runs.remove(run.getKey());
    if (!run.getKey().equals(address)) {
      runs.put(run.getKey(), address.previous());
    }
    if (!run.getValue().equals(address)) {
      runs.put(address.next(), run.getValue());
    }
  }

  boolean contains(IpAddress address) {
    Map.Entry<IpAddress, IpAddress> run = runs.floorEntry(address);
    return run != null && run.getValue().compareTo(address) >= 0;
  }

  /** The first address from {@code from} to {@code to}, both included, that is not in the set. */
  Optional<IpAddress> firstMissing(IpAddress from, IpAddress to) {
    Map.Entry<IpAddress, IpAddress> run = runs.floorEntry(from);
    if (run == null || run.getValue().compareTo(from) < 0) {
      return Optional.of(from);
    }
    return run.getValue().compareTo(to) < 0 ? Optional.of(run.getValue().next()) : Optional.empty();
  }

  /**
   * The first address of a family has no predecessor, not even the last one of the other family.
   */
  private static boolean touch(IpAddress one, IpAddress next) {
    return !next.isUnspecified() && next.previous().equals(one);
  }
}
