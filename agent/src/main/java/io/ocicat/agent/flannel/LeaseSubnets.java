package io.ocicat.agent.flannel;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A node's subnets, at most one of each family. As the last part of a key: {@code 10.5.52.0-24},
 * {@code 10.5.52.0-24&fd00:5::-64}, or with IPv6 alone {@code 0.0.0.0-0&fd00:5::-64}, which is what
 * flanneld writes.
 */
record LeaseSubnets(@Nullable IpPrefix v4, @Nullable IpPrefix v6) {
  private static final Pattern KEY =
      Pattern.compile("(\\d{1,3}(?:\\.\\d{1,3}){3})-(\\d{1,2})(?:&([0-9a-f:]+)-(\\d{1,3}))?");
  private static final String NO_V4 = "0.0.0.0-0";

  LeaseSubnets {
    if (v4 == null && v6 == null) {
      throw new IllegalArgumentException("a lease has at least one subnet");
    }
  }

  /** Returns the subnets of a key's last part; empty when it is not one. */
  static Optional<LeaseSubnets> parse(String key) {
    Matcher matcher = KEY.matcher(key);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    boolean dual = matcher.group(3) != null;
    IpPrefix v4 = prefix(matcher.group(1), matcher.group(2), 31);
    IpPrefix v6 = dual ? prefix(matcher.group(3), matcher.group(4), 127) : null;
    if (v4 == null || (dual && v6 == null)) {
      return Optional.empty();
    }
    boolean hasV4 = v4.length() > 0;
    return hasV4 || v6 != null
        ? Optional.of(new LeaseSubnets(hasV4 ? v4 : null, v6))
        : Optional.empty();
  }

  private static @Nullable IpPrefix prefix(String address, String length, int longest) {
    return IpPrefix.tryParse(address + "/" + Integer.parseInt(length))
        .filter(it -> it.length() <= longest && it.isV4() == (longest < 32))
        .map(IpPrefix::network)
        .orElse(null);
  }

  String key() {
    String first = v4 == null ? NO_V4 : text(v4);
    return v6 == null ? first : first + "&" + text(v6);
  }

  private static String text(IpPrefix prefix) {
    return prefix.address() + "-" + prefix.length();
  }

  Optional<IpPrefix> of(IpFamily family) {
    return Optional.ofNullable(family == IpFamily.V4 ? v4 : v6);
  }

  List<IpPrefix> all() {
    return Stream.of(IpFamily.values()).flatMap(family -> of(family).stream()).toList();
  }

  boolean overlaps(LeaseSubnets other) {
    return Stream.of(IpFamily.values())
        .anyMatch(
            family ->
                of(family)
                    .filter(mine -> other.of(family).filter(mine::overlaps).isPresent())
                    .isPresent());
  }

  @Override
  public String toString() {
    return String.join(", ", all().stream().map(IpPrefix::toString).toList());
  }
}
