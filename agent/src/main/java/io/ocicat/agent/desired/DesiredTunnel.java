package io.ocicat.agent.desired;

import io.ocicat.ip.IpPrefix;
import java.util.List;

/** What should become of a tunnel device. */
public sealed interface DesiredTunnel {
  /** It should exist as described. */
  record Present(TunnelDevice device) implements DesiredTunnel {}

  /**
   * It is used, and not all that it needs is known: what exists stays as it is.
   *
   * @param why what is missing, one line
   */
  record Undecided(String why) implements DesiredTunnel {}

  /**
   * Nothing uses it: it is deleted. The kernel's own {@code tunl0} stays, and loses its addresses
   * in these ranges.
   */
  record Unused(List<IpPrefix> ranges) implements DesiredTunnel {
    public Unused {
      ranges = List.copyOf(ranges);
    }
  }
}
