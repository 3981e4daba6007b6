package io.ocicat.ipamserver;

import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A range of a subnet whose addresses are allocated.
 *
 * @param gateway null when the subnet has none
 * @param excluded addresses between first and last that are not allocated
 */
record PoolRange(
    IpPrefix subnet,
    IpAddress first,
    IpAddress last,
    @Nullable IpAddress gateway,
    List<IpPrefix> excluded) {
  private static final String NO_GATEWAY = "none";

  PoolRange {
    excluded = List.copyOf(excluded);
  }

  /** Reads a range, with host-local's names and defaults. */
  static PoolRange read(JsonFields in) {
    IpPrefix subnet =
        in.prefix("subnet")
            .check(IpPrefix::isNetwork, "has host bits: write the network's own address")
            .check(
                prefix -> prefix.length() <= prefix.address().bitLength() - 2,
                "has no room: /30 (IPv6: /126) is the smallest")
            .required();
    if (!in.problems().isEmpty()) {
      return new PoolRange(subnet, subnet.address(), subnet.address(), null, List.of());
    }
    IpAddress lowest = subnet.first().next();
    IpAddress highest = subnet.broadcast().map(IpAddress::previous).orElse(subnet.last());
    IpAddress first = within(in, "rangeStart", lowest, lowest, highest);
    IpAddress last = within(in, "rangeEnd", highest, lowest, highest);
    if (first.compareTo(last) > 0) {
      in.problem("rangeEnd", "%s is before rangeStart %s".formatted(last, first));
    }
    IpAddress gateway =
        in.text("gateway").or("").equals(NO_GATEWAY)
            ? null
            : within(in, "gateway", lowest, lowest, highest);
    List<IpPrefix> excluded = new ArrayList<>();
    for (JsonValue item : in.value("exclude").items()) {
      IpPrefix part =
          item.text()
              .map(PoolRange::addressOrPrefix, subnet)
              .check(subnet::contains, "must lie in " + subnet)
              .required();
      excluded.add(part.network());
    }
    return new PoolRange(subnet, first, last, gateway, excluded);
  }

  private static IpPrefix addressOrPrefix(String text) {
    return text.contains("/") ? IpPrefix.parse(text) : IpPrefix.host(IpAddress.parse(text));
  }

  private static IpAddress within(
      JsonFields in, String name, IpAddress fallback, IpAddress lowest, IpAddress highest) {
    return in.ip(name)
        .check(
            address ->
                address.isV4() == lowest.isV4()
                    && lowest.compareTo(address) <= 0
                    && address.compareTo(highest) <= 0,
            "must be an address from %s to %s".formatted(lowest, highest))
        .or(fallback);
  }

  AddressFamily family() {
    return AddressFamily.of(first);
  }

  /** All allocatable addresses. */
  FreeAddresses addresses() {
    FreeAddresses addresses = new FreeAddresses(first, last);
    excluded.forEach(part -> addresses.take(part.first(), part.last()));
    if (gateway != null) {
      addresses.take(gateway);
    }
    return addresses;
  }

  boolean overlaps(PoolRange other) {
    return family() == other.family()
        && first.compareTo(other.last) <= 0
        && other.first.compareTo(last) <= 0;
  }

  @Override
  public String toString() {
    return first + "–" + last;
  }
}
