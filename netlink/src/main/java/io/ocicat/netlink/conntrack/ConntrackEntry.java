package io.ocicat.netlink.conntrack;

import io.ocicat.netlink.IpFamily;

/**
 * A connection in the kernel's connection tracking table.
 *
 * @param original packets from the initiator, as they arrive
 * @param reply packets from the other side, as they arrive: their source is where the original ones
 *     really went
 * @param mark set by rules
 * @param timeout seconds until it expires without traffic
 * @param id the kernel's, made from its endpoints and its address in memory: a later connection
 *     between the same endpoints mostly has another one
 */
public record ConntrackEntry(Tuple original, Tuple reply, int mark, long timeout, int id) {
  public IpFamily family() {
    return original.family();
  }

  public IpProtocol protocol() {
    return original.protocol();
  }

  /** As in {@code udp 10.0.0.1:4711 > 10.0.0.2:53}. */
  @Override
  public String toString() {
    return original.toString();
  }
}
