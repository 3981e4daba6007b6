package io.ocicat.netlink.nft;

import io.ocicat.ip.IpAddress;

/**
 * The target of an address translation: an address, or any of a range, and optionally ports.
 *
 * @param ports {@link Ports#KEEP} to keep the port where possible
 */
public record NatRange(IpAddress first, IpAddress last, Ports ports) {

  /** A port or a range of ports. */
  public record Ports(int first, int last) {
    /** The port is kept. */
    public static final Ports KEEP = new Ports(0, 0);

    private static final int LAST = 65535;

    public Ports {
      boolean keep = first == 0 && last == 0;
      if (!keep && (first < 1 || last > LAST || first > last)) {
        throw new IllegalArgumentException(
            "%d-%d are no ports: 1 to %d, the lower one first".formatted(first, last, LAST));
      }
    }

    public static Ports of(int port) {
      return of(port, port);
    }

    public static Ports of(int first, int last) {
      if (first == 0) {
        throw new IllegalArgumentException("0 is no port: 1 to " + LAST);
      }
      return new Ports(first, last);
    }

    boolean isKept() {
      return first == 0;
    }

    @Override
    public String toString() {
      return isKept() ? "" : ":" + (first == last ? "" + first : first + "-" + last);
    }
  }

  public NatRange {
    if (first.isV4() != last.isV4() || first.compareTo(last) > 0) {
      throw new IllegalArgumentException("no range leads from " + first + " to " + last);
    }
  }

  public static NatRange of(IpAddress address) {
    return new NatRange(address, address, Ports.KEEP);
  }

  public static NatRange of(IpAddress address, int port) {
    return new NatRange(address, address, Ports.of(port));
  }

  boolean isV4() {
    return first.isV4();
  }

  /** In nft's syntax. */
  @Override
  public String toString() {
    return (first.equals(last) ? text(first) : text(first) + "-" + text(last)) + ports;
  }

  /** Brackets separate the colons of an address from the one before a port. */
  private String text(IpAddress address) {
    return isV4() || ports.isKept() ? address.toString() : "[" + address + "]";
  }
}
