package io.ocicat.ipam.cluster;

import io.ocicat.datastore.model.IpReservation;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Addresses that are never assigned automatically: the union of all IPReservations. */
public final class Reservations {
  public static final Reservations NONE = new Reservations(List.of());

  /** Sorted, without prefixes that are contained in others. */
  private final List<IpPrefix> cidrs;

  public Reservations(Collection<IpReservation> reservations) {
    List<IpPrefix> outer = new ArrayList<>();
    reservations.stream()
        .flatMap(reservation -> reservation.cidrs().stream())
        .sorted()
        .forEach(
            cidr -> {
              if (outer.isEmpty() || !outer.getLast().contains(cidr)) {
                outer.add(cidr);
              }
            });
    this.cidrs = List.copyOf(outer);
  }

  public boolean contains(IpAddress address) {
    return cidrs.stream().anyMatch(cidr -> cidr.contains(address));
  }

  public boolean overlaps(IpPrefix block) {
    return cidrs.stream().anyMatch(cidr -> cidr.overlaps(block));
  }

  /** Whether the whole block is reserved, by one entry or by several together. */
  public boolean cover(IpPrefix block) {
    BigInteger inside = BigInteger.ZERO;
    for (IpPrefix cidr : cidrs) {
      if (cidr.contains(block)) {
        return true;
      }
      if (block.contains(cidr)) {
        inside = inside.add(cidr.size());
      }
    }
    return inside.equals(block.size());
  }
}
