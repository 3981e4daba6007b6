package io.ocicat.netlink.conntrack;

import io.ocicat.netlink.IpFamily;

/**
 * A connection the kernel knows.
 *
 * @param original packets of whoever began it, as they came in
 * @param reply packets of the other side, as they come in: their source is where the original ones
 *     really went
 * @param mark what rules have remembered about it
 * @param timeout in how many seconds it will be forgotten without traffic
 * @param id what the kernel calls it, made from its ends and its place in memory: a later
 *     connection between the same ends mostly has another one
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
