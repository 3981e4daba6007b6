package io.ocicat.plugins.calicocluster;

import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.Route;
import java.util.List;

/**
 * Whether the host gets routes to the addresses of a container. CNI results have no member for it:
 * calico-ipam says it to calico by a route to each address, because either of the two may be
 * Calico's own executable.
 */
public enum HostRouting {
  ROUTED,

  /** The virtual machine that has the addresses still runs on another node. */
  NOT_YET;

  /** Reads it from the result of calico-ipam. */
  public static HostRouting of(Result ipam) {
    return ipam.routes().isEmpty() ? NOT_YET : ROUTED;
  }

  /** The result of calico-ipam that says so. */
  public Result resultOf(List<IpConfig> addresses) {
    Result result = Result.empty().withIps(addresses);
    return switch (this) {
      case ROUTED ->
          result.withRoutes(addresses.stream().map(ip -> Route.to(ip.address())).toList());
      case NOT_YET -> result;
    };
  }
}
