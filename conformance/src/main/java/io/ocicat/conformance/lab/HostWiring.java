package io.ocicat.conformance.lab;

import io.ocicat.cni.Dns;
import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.Route;
import io.ocicat.conformance.subject.Wiring;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.link.Link;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates the veth pairs that a plugin's profile requires before the plugin is called. */
final class HostWiring {
  private static final IpPrefix EVERYWHERE = IpPrefix.parse("0.0.0.0/0");

  private final Wiring wiring;
  private final LabNamespace host;

  HostWiring(Wiring wiring, LabNamespace host) {
    this.wiring = wiring;
    this.host = host;
  }

  void onHost() {
    if (wiring == Wiring.UPLINK) {
      host.veth("uplink0", host, "uplink1");
    }
  }

  /**
   * Does for a container what an interface plugin would.
   *
   * @param number tells containers of one host apart
   * @return the result of that plugin; null when the wiring has no such veth pair
   */
  @Nullable Result lay(LabNamespace container, String ifName, int number) {
    if (wiring != Wiring.VETH) {
      return null;
    }
    String hostEnd = "veth" + number;
    IpAddress gateway = IpAddress.parse("10.89.%d.1".formatted(number));
    IpPrefix address = IpPrefix.parse("10.89.%d.2/24".formatted(number));
    host.veth(hostEnd, container, ifName);
    host.address(hostEnd, new IpPrefix(gateway, address.length()));
    container.address(ifName, address);
    container.defaultRoute(gateway);
    return Result.empty()
        .withInterface(Interface.onHost(hostEnd).withMac(mac(host, hostEnd)))
        .withInterface(
            Interface.inSandbox(ifName, container.path().toString())
                .withMac(mac(container, ifName)))
        .withIp(IpConfig.of(address).withGateway(gateway).onInterface(1))
        .withRoute(Route.to(EVERYWHERE).via(gateway))
        .withDns(new Dns(List.of("10.89.0.53"), "", List.of("lab.example"), List.of()));
  }

  private static MacAddress mac(LabNamespace namespace, String link) {
    return namespace.link(link).map(Link::mac).orElseThrow();
  }
}
