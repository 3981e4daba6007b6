package io.ocicat.netlink.route;

import io.ocicat.ip.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * A routing lookup for a packet, with the properties that matter to the routing rules: {@code
 * RouteLookup.to(address).mark(1)}.
 *
 * @param incoming the link the packet arrives on, if it is to be forwarded; needs a source
 * @param outgoing the link it must leave through
 */
public record RouteLookup(
    IpAddress destination,
    @Nullable IpAddress source,
    @Nullable Device incoming,
    @Nullable Device outgoing,
    int mark) {

  public RouteLookup {
    if (source != null && source.isV4() != destination.isV4()) {
      throw new IllegalArgumentException(
          "no route leads from %s to %s: not the same family".formatted(source, destination));
    }
  }

  public static RouteLookup to(IpAddress destination) {
    return new RouteLookup(destination, null, null, null, 0);
  }

  public RouteLookup from(IpAddress source) {
    return new RouteLookup(destination, source, incoming, outgoing, mark);
  }

  public RouteLookup iif(Device incoming) {
    return new RouteLookup(destination, source, incoming, outgoing, mark);
  }

  public RouteLookup oif(Device outgoing) {
    return new RouteLookup(destination, source, incoming, outgoing, mark);
  }

  public RouteLookup mark(int mark) {
    return new RouteLookup(destination, source, incoming, outgoing, mark);
  }

  /** As in {@code 10.0.0.1 from 10.1.0.1 iif eth0 mark 0x1}. */
  @Override
  public String toString() {
    return destination
        + (source == null ? "" : " from " + source)
        + (incoming == null ? "" : " iif " + incoming)
        + (outgoing == null ? "" : " oif " + outgoing)
        + (mark == 0 ? "" : " mark 0x" + Integer.toHexString(mark));
  }
}
