package io.ocicat.datastore.cluster;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.math.BigInteger;
import java.util.Collection;
import java.util.Optional;

/**
 * A range of pod addresses that nodes get parts of, all of one size.
 *
 * @param range a network
 * @param nodeLength the prefix length of each node's part
 */
public record ClusterCidr(IpPrefix range, int nodeLength) {
  public ClusterCidr {
    range = range.network();
    if (nodeLength < range.length() || nodeLength > range.address().bitLength()) {
      throw new IllegalArgumentException(
          "a part of %s has a prefix length of %d–%d, not %d"
              .formatted(range, range.length(), range.address().bitLength(), nodeLength));
    }
  }

  /** How many nodes can have a part. */
  public BigInteger parts() {
    return BigInteger.ONE.shiftLeft(nodeLength - range.length());
  }

  public boolean isSameFamily(IpPrefix other) {
    return range.isV4() == other.isV4();
  }

  /**
   * Returns the first part, in the order of addresses, that overlaps none of these networks; empty
   * when every part does. They may be of any size and family, and overlap each other.
   */
  public Optional<IpPrefix> firstFree(Collection<IpPrefix> used) {
    IpPrefix candidate = IpPrefix.of(range.first(), nodeLength);
    for (IpPrefix taken :
        IpPrefix.withoutNested(used.stream().filter(this::isSameFamily).toList())) {
      if (taken.overlaps(candidate)) {
        IpAddress last = taken.contains(candidate) ? taken.last() : candidate.last();
        if (last.compareTo(range.last()) >= 0) {
          return Optional.empty();
        }
        candidate = IpPrefix.of(last.next(), nodeLength);
      } else if (taken.first().compareTo(candidate.last()) > 0) {
        // They are sorted: none of the others is before this one.
        return Optional.of(candidate);
      }
    }
    return Optional.of(candidate);
  }

  @Override
  public String toString() {
    return range.toString();
  }
}
