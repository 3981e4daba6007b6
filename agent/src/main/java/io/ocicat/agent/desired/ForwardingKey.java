package io.ocicat.agent.desired;

import io.ocicat.ip.MacAddress;

/** A forwarding entry's key: a MAC address behind a VXLAN device. */
public record ForwardingKey(String device, MacAddress mac) {
  @Override
  public String toString() {
    return mac + " dev " + device;
  }
}
