package io.ocicat.agent.startup;

import io.ocicat.datastore.Datastore;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.netlink.ns.NetNs;
import java.util.List;
import java.util.Map;

/**
 * What a cluster needs before its first pod, for an installation whose agent starts later or never.
 * An agent that starts finds what it would have created itself. Does not own the datastore.
 *
 * @param environment the variables of calico/node
 */
public record InitialCluster(Datastore datastore, Map<String, String> environment) {

  /** Creates the settings that are missing; not for the Kubernetes API. */
  public void createSettings(String node) {
    new ClusterDefaults(datastore, settings(), false).ensure(node);
  }

  /**
   * Creates a pool for each family that has none. For IPv6 only where its range is given: without
   * an agent nobody may have asked for it.
   *
   * @throws StartupException when a variable is invalid
   */
  public void createPools() {
    try (NetNs host = NetNs.current()) {
      List<IpAddress> addresses =
          new AddressAutodetection(host, List.of())
              .interfaces().stream()
                  .flatMap(one -> one.addresses().stream())
                  .map(IpPrefix::address)
                  .toList();
      boolean wantsIpv6 = !settings().text("CALICO_IPV6POOL_CIDR").isEmpty();
      new DefaultPools(
              datastore, settings(), addresses, wantsIpv6, ClockAndRandom.ofSystem().random())
          .ensure();
    }
  }

  private StartupSettings settings() {
    return new StartupSettings(environment);
  }
}
