package io.ocicat.agent.desired;

import io.ocicat.ip.IpAddress;

/** A neighbour's key: its address on a link. */
public record LinkNeighbour(String device, IpAddress address) {
  @Override
  public String toString() {
    return address + " dev " + device;
  }
}
