package io.ocicat.plugins.hostlocal;

import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** A set of ranges of one family, from which a container gets one address. */
record RangeSet(List<AddressRange> ranges) {
  RangeSet {
    ranges = List.copyOf(ranges);
  }

  /** An address of the set with its range's settings. */
  record Member(IpAddress address, AddressRange range) {
    IpPrefix inSubnet() {
      return IpPrefix.of(address, range.subnet().length());
    }
  }

  /** Empty when something is wrong with it, which is then among the problems. */
  static Optional<RangeSet> read(JsonValue value) {
    List<JsonFields> items = value.objects();
    if (items.isEmpty()) {
      value.problem("is an empty range set: expected a list of ranges");
      return Optional.empty();
    }
    List<AddressRange> ranges = new ArrayList<>();
    for (JsonFields item : items) {
      AddressRange.read(item).ifPresent(ranges::add);
    }
    return ranges.size() == items.size() && fitTogether(ranges, value)
        ? Optional.of(new RangeSet(ranges))
        : Optional.empty();
  }

  private static boolean fitTogether(List<AddressRange> ranges, JsonValue value) {
    for (int i = 0; i < ranges.size(); i++) {
      AddressRange one = ranges.get(i);
      for (AddressRange other : ranges.subList(i + 1, ranges.size())) {
        if (one.subnet().isV4() != other.subnet().isV4()) {
          value.problem("is an invalid range set: mixed address families");
          return false;
        }
        if (one.overlaps(other)) {
          value.problem("is an invalid range set: subnets %s and %s overlap".formatted(one, other));
          return false;
        }
      }
    }
    return true;
  }

  boolean isV4() {
    return ranges.getFirst().subnet().isV4();
  }

  Optional<Member> find(IpAddress address) {
    for (AddressRange range : ranges) {
      if (range.contains(address)) {
        return Optional.of(new Member(address, range));
      }
    }
    return Optional.empty();
  }

  boolean contains(IpAddress address) {
    return find(address).isPresent();
  }

  boolean overlaps(RangeSet other) {
    return ranges.stream().anyMatch(one -> other.ranges.stream().anyMatch(one::overlaps));
  }

  /**
   * The next free address: starting after {@code last}, through all ranges, and around to {@code
   * last} itself, without gateways. When {@code last} is not in this set, it starts with the first
   * range. The Go plugin tries addresses one by one in this order.
   */
  Optional<Member> nextFree(Optional<IpAddress> last, AddressRuns used) {
    Optional<Member> latest = last.flatMap(this::find);
    int first = latest.map(member -> ranges.indexOf(member.range())).orElse(0);
    Optional<Member> found = latest.flatMap(m -> firstAfter(m.address(), m.range(), used));
    // The range that contains "last" comes again at the end, as a whole: the part after "last" is
    // known to be full by then.
    int turn = latest.isPresent() ? 1 : 0;
    for (int i = 0; found.isEmpty() && i < ranges.size(); i++) {
      AddressRange range = ranges.get((first + turn + i) % ranges.size());
      found = firstFrom(range.start(), range, used);
    }
    return found;
  }

  private static Optional<Member> firstFrom(IpAddress from, AddressRange range, AddressRuns used) {
    Optional<IpAddress> free = used.firstMissing(from, range.end());
    return free.isPresent() && free.get().equals(range.gateway())
        ? firstAfter(range.gateway(), range, used)
        : free.map(address -> new Member(address, range));
  }

  private static Optional<Member> firstAfter(
      IpAddress after, AddressRange range, AddressRuns used) {
    return after.equals(range.end()) ? Optional.empty() : firstFrom(after.next(), range, used);
  }

  /** In the format of error messages: {@code 10.0.0.1-10.0.0.6,10.0.1.1-10.0.1.6}. */
  @Override
  public String toString() {
    return ranges.stream().map(AddressRange::toString).collect(Collectors.joining(","));
  }
}
