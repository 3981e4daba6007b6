package io.ocicat.agent.flannel;

/**
 * A node's lease.
 *
 * @param name the last part of its key, or the name of its node
 * @param created the older of two leases has the lower number
 * @param reserved whether it never ends
 */
record SubnetLease(
    String name, LeaseSubnets subnets, LeaseAttributes attributes, long created, boolean reserved) {
  @Override
  public String toString() {
    return "%s of %s"
        .formatted(
            subnets,
            attributes.publicIp() != null
                ? attributes.publicIp()
                : attributes.publicIpv6() != null ? attributes.publicIpv6() : name);
  }
}
