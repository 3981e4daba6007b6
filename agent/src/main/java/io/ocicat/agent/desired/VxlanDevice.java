package io.ocicat.agent.desired;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;

/**
 * A VXLAN device that the node should have.
 *
 * @param port of UDP
 * @param parent the name of the link it sends through
 * @param options what only flannel asks for
 */
public record VxlanDevice(
    String name,
    int vni,
    int port,
    IpAddress local,
    String parent,
    MacAddress mac,
    int mtu,
    IpAddress tunnelAddress,
    Options options)
    implements TunnelDevice {

  /**
   * What is off by default.
   *
   * @param learning whether it learns where MAC addresses are from the packets it receives
   * @param gbp whether it transmits the sender's mark (group-based policy)
   * @param ignoresRouters whether its accept_ra is kept at 0
   */
  public record Options(boolean learning, boolean gbp, boolean ignoresRouters) {
    public static final Options NONE = new Options(false, false, false);
  }

  /** The family of its outer and inner packets. */
  public IpFamily family() {
    return IpFamily.of(local);
  }

  /** The name of Calico's device of a family. */
  public static String calico(IpFamily family) {
    return family == IpFamily.V4 ? "vxlan.calico" : "vxlan-v6.calico";
  }
}
