package io.ocicat.agent.startup;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.ns.NetNs;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;

/** Asks the resolver for the destination of {@code can-reach}, which may be a host's name. */
final class HostNameLookup {
  private HostNameLookup() {}

  /** The first address of a family, as seen from a network namespace. */
  static Optional<IpAddress> find(NetNs host, IpFamily family, String name) {
    try {
      return host.call(
          () ->
              Arrays.stream(InetAddress.getAllByName(name))
                  .map(found -> IpAddress.ofBytes(found.getAddress()))
                  .filter(address -> IpFamily.of(address) == family)
                  .findFirst());
    } catch (UnknownHostException _) {
      return Optional.empty();
    } catch (Exception e) {
      throw new StartupException(
          StartupException.Reason.NO_ADDRESS,
          "%s cannot be resolved: %s".formatted(name, e.getMessage()),
          e);
    }
  }
}
