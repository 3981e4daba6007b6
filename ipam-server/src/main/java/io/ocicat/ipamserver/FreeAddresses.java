package io.ocicat.ipamserver;

import io.ocicat.ip.IpAddress;
import java.math.BigInteger;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The free addresses between two bounds. Used addresses are a sorted map of the ends of runs, with
 * neighbours merged: the address after a run is free by construction, so finding one costs a
 * look-up however many are used, and a run of a million costs as much memory as one address. Not
 * thread-safe.
 */
final class FreeAddresses {
  private final IpAddress first;
  private final IpAddress last;
  private final NavigableMap<IpAddress, IpAddress> taken = new TreeMap<>();

  FreeAddresses(IpAddress first, IpAddress last) {
    this.first = first;
    this.last = last;
  }

  boolean contains(IpAddress address) {
    return first.compareTo(address) <= 0 && address.compareTo(last) <= 0;
  }

  boolean isFree(IpAddress address) {
    Map.Entry<IpAddress, IpAddress> run = taken.floorEntry(address);
    return contains(address) && (run == null || run.getValue().compareTo(address) < 0);
  }

  void take(IpAddress address) {
    take(address, address);
  }

  /** Marks a run as used, or as much of it as lies between the bounds. */
  void take(IpAddress from, IpAddress to) {
    IpAddress start = max(from, first);
    IpAddress end = min(to, last);
    if (start.compareTo(end) > 0) {
      return;
    }
    Map.Entry<IpAddress, IpAddress> below = taken.floorEntry(start);
    if (below != null && touches(below.getValue(), start)) {
      start = below.getKey();
      end = max(end, below.getValue());
    }
    Map.Entry<IpAddress, IpAddress> above = taken.higherEntry(start);
    while (above != null && touches(end, above.getKey())) {
      end = max(end, above.getValue());
      taken.remove(above.getKey());
      above = taken.higherEntry(start);
    }
    taken.put(start, end);
  }

  private static boolean touches(IpAddress end, IpAddress start) {
    return start.compareTo(end) <= 0 || end.next().equals(start);
  }

  void release(IpAddress address) {
    Map.Entry<IpAddress, IpAddress> run = taken.floorEntry(address);
    if (run == null || run.getValue().compareTo(address) < 0) {
      return;
    }
    taken.remove(run.getKey());
    if (run.getKey().compareTo(address) < 0) {
      taken.put(run.getKey(), address.previous());
    }
    if (address.compareTo(run.getValue()) < 0) {
      taken.put(address.next(), run.getValue());
    }
  }

  /** Returns the first free address after this one, wrapping around to the lowest. */
  Optional<IpAddress> next(IpAddress after) {
    if (contains(after) && after.compareTo(last) < 0) {
      Optional<IpAddress> further = from(after.next());
      if (further.isPresent()) {
        return further;
      }
    }
    return from(first);
  }

  private Optional<IpAddress> from(IpAddress start) {
    Map.Entry<IpAddress, IpAddress> run = taken.floorEntry(start);
    if (run == null || run.getValue().compareTo(start) < 0) {
      return Optional.of(start);
    }
    return run.getValue().equals(last) ? Optional.empty() : Optional.of(run.getValue().next());
  }

  BigInteger count() {
    BigInteger count = size(first, last);
    for (Map.Entry<IpAddress, IpAddress> run : taken.entrySet()) {
      count = count.subtract(size(run.getKey(), run.getValue()));
    }
    return count;
  }

  private static BigInteger size(IpAddress from, IpAddress to) {
    return to.minus(from).add(BigInteger.ONE);
  }

  private static IpAddress max(IpAddress a, IpAddress b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private static IpAddress min(IpAddress a, IpAddress b) {
    return a.compareTo(b) <= 0 ? a : b;
  }
}
