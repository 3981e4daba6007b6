package io.ocicat.plugins.calico;

import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import java.util.List;

/** The result of ADD: both ends of the veth pair, and the addresses of the container end. */
final class AddResult {
  /** The index of the container's interface in the result: after the host end. */
  private static final int CONTAINER = 1;

  private AddResult() {}

  /** The addresses without the gateways that an IPAM plugin suggested. */
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
