package io.ocicat.plugins.bridge;

import static io.ocicat.netlink.link.PortOption.HAIRPIN;
import static io.ocicat.netlink.link.PortOption.ISOLATED;

import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.Request;
import io.ocicat.netlink.link.BridgePort;
import io.ocicat.netlink.link.Links;
import io.ocicat.plugins.net.Net;
import io.ocicat.plugins.net.OwnedCable;
import io.ocicat.plugins.net.Owner;
import io.ocicat.plugins.net.VethPair;
import java.util.List;
import java.util.Optional;

/** The host's end of a container's cable, as a port of the bridge. */
final class HostPort {
  private HostPort() {}

  /** Makes the cable, in one send: the end on the host is complete before anything can pass it. */
  static VethPair create(
      Net host,
      Net container,
      Owner owner,
      HostBridge bridge,
      BridgeConf conf,
      Optional<MacAddress> mac) {
    return OwnedCable.create(
        host,
        container,
        owner,
        VethPair.Plan.of(owner.ifName().value())
            .withMtu(conf.mtu())
            .withMac(mac)
            .onHost(end -> end.master(bridge.index()).up())
            .then(name -> options(name, conf))
            .alsoDeaf(bridge.name()));
  }

  private static List<Request> options(String name, BridgeConf conf) {
    return conf.hairpin() || conf.isolated()
        ? List.of(
            Links.setPort(
                name, BridgePort.with(HAIRPIN, conf.hairpin()).and(ISOLATED, conf.isolated())))
        : List.of();
  }
}
