package io.ocicat.ip;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * An address and a prefix length: a subnet, or an address within its subnet. The host bits are kept
 * (10.1.2.3/24 stays so); {@link #network()} clears them, and questions about the range ignore
 * them.
 */
public record IpPrefix(IpAddress address, int length) implements Comparable<IpPrefix> {
  private static final String WHAT = "a CIDR";
  private static final Comparator<IpPrefix> ORDER =
      Comparator.comparing(IpPrefix::address).thenComparingInt(IpPrefix::length);

  public IpPrefix {
    if (length < 0 || length > address.bitLength()) {
      throw new IllegalArgumentException(
          "prefix length of %s must be 0–%d, not %d"
              .formatted(address, address.bitLength(), length));
    }
  }

  public static IpPrefix of(IpAddress address, int length) {
    return new IpPrefix(address, length);
  }

  /** The prefix that contains only this address: /32 or /128. */
  public static IpPrefix host(IpAddress address) {
    return new IpPrefix(address, address.bitLength());
  }

  /**
   * Parses {@code address/length}, strictly.
   *
   * @throws IllegalArgumentException saying which text was rejected and why
   */
  public static IpPrefix parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      throw Parsing.refuse(text, WHAT, "it has no /prefix-length");
    }
    IpAddress address = parseAddress(text, slash);
    int length = parseLength(text, slash + 1);
    if (length < 0 || length > address.bitLength()) {
      throw Parsing.refuse(text, WHAT, "prefix length must be 0–" + address.bitLength());
    }
    return new IpPrefix(address, length);
  }

  private static IpAddress parseAddress(String text, int slash) {
    try {
      return IpAddress.parse(text.substring(0, slash));
    } catch (IllegalArgumentException e) {
      throw Parsing.refuse(text, WHAT, String.valueOf(e.getMessage()));
    }
  }

  /**
   * The number, or -1 for anything that is not one of at most three digits without leading zeros.
   */
  private static int parseLength(String text, int from) {
    int digits = text.length() - from;
    if (digits < 1 || digits > 3 || (digits > 1 && text.charAt(from) == '0')) {
      return -1;
    }
    int value = 0;
    for (int i = from; i < text.length(); i++) {
      if (!Parsing.isDigit(text.charAt(i))) {
        return -1;
      }
      value = value * 10 + (text.charAt(i) - '0');
    }
    return value;
  }

  public static Optional<IpPrefix> tryParse(String text) {
    return Parsing.attempt(text, IpPrefix::parse);
  }

  public boolean isV4() {
    return address.isV4();
  }

  public boolean isV6() {
    return address.isV6();
  }

  /** The same prefix without host bits: 10.1.2.3/24 becomes 10.1.2.0/24. */
  public IpPrefix network() {
    return isNetwork() ? this : new IpPrefix(first(), length);
  }

  /** Whether there are no host bits. */
  public boolean isNetwork() {
    return address.equals(first());
  }

  /** The lowest address of the range, for a subnet its network address. */
  public IpAddress first() {
    return address.keepBits(length);
  }

  public IpAddress last() {
    return address.fillBits(length);
  }

  /** The IPv4 broadcast address; none for IPv6, nor in /31 and /32 (RFC 3021). */
  public Optional<IpAddress> broadcast() {
    return isV4() && length < 31 ? Optional.of(last()) : Optional.empty();
  }

  /** 255.255.255.0 for a /24. */
  public IpAddress mask() {
    IpAddress ones = isV4() ? IpAddress.ofV4(-1) : IpAddress.ofV6(-1, -1);
    return ones.keepBits(length);
  }

  /** How many addresses the range has, network and broadcast address included. */
  public BigInteger size() {
    return BigInteger.ONE.shiftLeft(address.bitLength() - length);
  }

  public boolean contains(IpAddress other) {
    return isV4() == other.isV4() && other.keepBits(length).equals(first());
  }

  /** Whether every address of {@code other} is in this range. */
  public boolean contains(IpPrefix other) {
    return length <= other.length && contains(other.address);
  }

  public boolean overlaps(IpPrefix other) {
    return contains(other) || other.contains(this);
  }

  /** The networks among these that are in no other of them, sorted. */
  public static List<IpPrefix> withoutNested(Collection<IpPrefix> prefixes) {
    List<IpPrefix> kept = new ArrayList<>();
    // What a network contains follows it in this order.
    prefixes.stream()
        .map(IpPrefix::network)
        .sorted()
        .filter(prefix -> kept.isEmpty() || !kept.getLast().contains(prefix))
        .forEach(kept::add);
    return List.copyOf(kept);
  }

  /** By address, then from the widest to the narrowest. */
  @Override
  public int compareTo(IpPrefix other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return address + "/" + length;
  }
}
