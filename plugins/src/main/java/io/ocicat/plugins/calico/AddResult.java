package io.ocicat.plugins.calico;

import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import java.util.List;

/** What ADD answers: both ends of the veth pair, and the addresses at the one in the container. */
final class AddResult {
  /** Where in the result the container's interface is: behind the host's end. */
  private static final int CONTAINER = 1;

  private AddResult() {}

  /** Addresses alone, without the gateway that an IPAM plugin thought of. */
  static Result of(AddCall call, Result ipam, String hostName, MacAddress mac, int mtu) {
    Interface inside =
        Interface.inSandbox(call.ifName().value(), call.netns().text()).withMac(mac).withMtu(mtu);
    return ipam.withInterfaces(List.of(Interface.onHost(hostName), inside))
        .withIps(
            ipam.ips().stream()
                .map(
                    ip ->
                        new IpConfig(
                            CONTAINER, IpPrefix.host(ip.address().address()), null, ip.unknown()))
                .toList());
  }
}
