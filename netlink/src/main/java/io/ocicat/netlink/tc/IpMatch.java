package io.ocicat.netlink.tc;

import io.ocicat.ip.IpPrefix;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Describes packets by their IP header, as keys for a {@link U32} filter. The filter's position
 * must be for that protocol only: the same words mean something else in other packets.
 *
 * <p>Ports are expected right after an IP header without options or extension headers, as in tc;
 * packets that have some, and all but the first fragment, have something else there.
 */
public record IpMatch(boolean v6, List<U32.Key> keys) {
  private static final int V4_PROTOCOL = 8;
  private static final int V4_SOURCE = 12;
  private static final int V4_DESTINATION = 16;
  private static final int V4_PORTS = 20;
  private static final int V6_PROTOCOL = 4;
  private static final int V6_SOURCE = 8;
  private static final int V6_DESTINATION = 24;
  private static final int V6_PORTS = 40;

  public IpMatch {
    keys = List.copyOf(keys);
  }

  public static IpMatch ipv4() {
    return new IpMatch(false, List.of());
  }

  public static IpMatch ipv6() {
    return new IpMatch(true, List.of());
  }

  public IpMatch source(IpPrefix prefix) {
    return address(prefix, v6 ? V6_SOURCE : V4_SOURCE);
  }

  public IpMatch destination(IpPrefix prefix) {
    return address(prefix, v6 ? V6_DESTINATION : V4_DESTINATION);
  }

  /** For instance 6 for TCP, 17 for UDP. */
  public IpMatch protocol(int number) {
    check("an IP protocol", number, 0xff);
    return v6
        ? and(new U32.Key(number << 8, 0xff00, V6_PROTOCOL))
        : and(new U32.Key(number << 16, 0xff0000, V4_PROTOCOL));
  }

  public IpMatch sourcePort(int port) {
    check("a port", port, 0xffff);
    return and(new U32.Key(port << 16, 0xffff0000, v6 ? V6_PORTS : V4_PORTS));
  }

  public IpMatch destinationPort(int port) {
    check("a port", port, 0xffff);
    return and(new U32.Key(port, 0xffff, v6 ? V6_PORTS : V4_PORTS));
  }

  private IpMatch address(IpPrefix prefix, int offset) {
    if (prefix.isV6() != v6) {
      throw new IllegalArgumentException(
          prefix + " cannot be looked for in an " + (v6 ? "IPv6" : "IPv4") + " header");
    }
    ByteBuffer value = ByteBuffer.wrap(prefix.first().toByteArray());
    ByteBuffer mask = ByteBuffer.wrap(prefix.mask().toByteArray());
    IpMatch more = this;
    for (int at = 0; at < value.limit() && mask.getInt(at) != 0; at += Integer.BYTES) {
      more = more.and(new U32.Key(value.getInt(at), mask.getInt(at), offset + at));
    }
    return more;
  }

  /** Merges keys for the same word, as tc does: each costs every packet time. */
  private IpMatch and(U32.Key key) {
    List<U32.Key> more = new ArrayList<>(keys);
    for (int i = 0; i < more.size(); i++) {
      U32.Key other = more.get(i);
      if (other.offset() == key.offset()) {
        if (((other.value() ^ key.value()) & other.mask() & key.mask()) != 0) {
          throw new IllegalArgumentException(
              "no packet matches both %s and %s".formatted(other, key));
        }
        int value = other.value() | key.value();
        more.set(i, new U32.Key(value, other.mask() | key.mask(), key.offset()));
        return new IpMatch(v6, more);
      }
    }
    more.add(key);
    return new IpMatch(v6, more);
  }

  private static void check(String what, int number, int most) {
    if (number < 0 || number > most) {
      throw new IllegalArgumentException(
          "%s is a number from 0 to %d, not %d".formatted(what, most, number));
    }
  }
}
