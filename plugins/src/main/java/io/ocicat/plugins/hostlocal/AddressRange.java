package io.ocicat.plugins.hostlocal;

import io.ocicat.base.json.JsonFields;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.Optional;

/**
 * A range of addresses in one subnet, from {@code start} to {@code end} inclusive. The gateway is
 * never handed out; it may lie outside the range, and outside the subnet.
 */
record AddressRange(IpPrefix subnet, IpAddress start, IpAddress end, IpAddress gateway) {

  /** Empty when something is wrong with it, which is then among the problems. */
  static Optional<AddressRange> read(JsonFields in) {
    int before = in.problems().count();
    IpPrefix subnet = in.prefix("subnet").required();
    Optional<IpAddress> start = in.ip("rangeStart").optional();
    Optional<IpAddress> end = in.ip("rangeEnd").optional();
    Optional<IpAddress> gateway = in.ip("gateway").optional();
    if (in.problems().count() > before || !isUsable(subnet, in)) {
      return Optional.empty();
    }
    AddressRange range =
        new AddressRange(
            subnet,
            start.orElse(subnet.first().next()),
            end.orElse(subnet.isV4() ? subnet.last().previous() : subnet.last()),
            gateway.orElse(subnet.first().next()));
    return range.isWithinSubnet(in) ? Optional.of(range) : Optional.empty();
  }

  private static boolean isUsable(IpPrefix subnet, JsonFields in) {
    int longest = subnet.address().bitLength() - 2;
    if (subnet.length() > longest) {
      in.problem(
          "subnet",
          "is network %s, too small to allocate from: use a prefix of /%d or less"
              .formatted(subnet, longest));
      return false;
    }
    if (!subnet.isNetwork()) {
      in.problem(
          "subnet",
          "is %s, which has host bits set: for a subnet mask of length %d the network address is %s"
              .formatted(subnet, subnet.length(), subnet.first()));
      return false;
    }
    return true;
  }

  /** For a start after the end, gives the Go plugin's message: it is not in the network. */
  private boolean isWithinSubnet(JsonFields in) {
    boolean startsInside = subnet.contains(start);
    boolean endsInside = subnet.contains(end);
    if (!startsInside) {
      in.problem("rangeStart", "is RangeStart %s not in network %s".formatted(start, subnet));
    }
    if (!endsInside) {
      in.problem("rangeEnd", "is RangeEnd %s not in network %s".formatted(end, subnet));
    }
    if (!startsInside || !endsInside) {
      return false;
    }
    if (start.compareTo(end) > 0) {
      in.problem(
          "rangeStart",
          "is RangeStart %s not in network %s, which ends at rangeEnd %s"
              .formatted(start, subnet, end));
      return false;
    }
    return true;
  }

  boolean contains(IpAddress address) {
    return address.isV4() == start.isV4()
        && start.compareTo(address) <= 0
        && address.compareTo(end) <= 0;
  }

  boolean overlaps(AddressRange other) {
    return contains(other.start) || other.contains(start);
  }

  @Override
  public String toString() {
    return start + "-" + end;
  }
}
