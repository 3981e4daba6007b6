package io.ocicat.agent.desired;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;

/**
 * The VXLAN device of a family that the node should have.
 *
 * @param parent the name of the link it sends through
 * @param tunnelAddress its only address
 */
public record VxlanDevice(
    IpFamily family,
    int vni,
    int port,
    IpAddress local,
    String parent,
    MacAddress mac,
    int mtu,
    IpAddress tunnelAddress) {
  private static final int OVERHEAD_V4 = 50;
  private static final int OVERHEAD_V6 = 70;

  public String name() {
    return name(family);
  }

  public static String name(IpFamily family) {
    return family == IpFamily.V4 ? "vxlan.calico" : "vxlan-v6.calico";
  }

  /** The MTU of the device: as configured, else what the node's links leave for it. */
  static int mtu(IpFamily family, AgentConfig config, int hostMtu) {
    int configured = family == IpFamily.V4 ? config.vxlanMtu() : config.vxlanMtuV6();
    return configured != 0
        ? configured
        : hostMtu - (family == IpFamily.V4 ? OVERHEAD_V4 : OVERHEAD_V6);
  }
}
