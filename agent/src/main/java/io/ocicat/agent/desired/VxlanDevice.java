package io.ocicat.agent.desired;

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
  public String name() {
    return name(family);
  }

  public static String name(IpFamily family) {
    return family == IpFamily.V4 ? "vxlan.calico" : "vxlan-v6.calico";
  }
}
