package io.ocicat.agent.desired;

import io.ocicat.ip.IpAddress;

/** A device that carries packets of workloads to other nodes. */
public sealed interface TunnelDevice permits IpipDevice, VxlanDevice {
  String name();

  int mtu();

  /** Its only address. */
  IpAddress tunnelAddress();
}
