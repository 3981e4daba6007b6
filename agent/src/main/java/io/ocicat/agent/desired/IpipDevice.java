package io.ocicat.agent.desired;

import io.ocicat.ip.IpAddress;

/** The IPIP device that the node should have. It is the kernel's own, of this fixed name. */
public record IpipDevice(int mtu, IpAddress tunnelAddress) implements TunnelDevice {
  public static final String NAME = "tunl0";

  @Override
  public String name() {
    return NAME;
  }
}
