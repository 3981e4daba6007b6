package io.ocicat.plugins.bridge;

import static io.ocicat.netlink.link.BridgePortOption.HAIRPIN;
import static io.ocicat.netlink.link.BridgePortOption.ISOLATED;

import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.link.BridgePort;
import io.ocicat.netlink.link.Links;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.OwnedVeth;
import io.ocicat.plugins.net.VethPair;
import java.util.List;
import java.util.Optional;

/** The host end of a container's veth pair, as a port of the bridge. */
final class BridgeVeth {
  private BridgeVeth() {}

  /** Creates the veth pair in one send: the host end is complete before any packet can pass it. */
  static VethPair create(
      NetnsSockets host,
      NetnsSockets container,
      AttachmentOwner owner,
      HostBridge bridge,
      BridgeConf conf,
      Optional<MacAddress> mac) {
    return OwnedVeth.create(
        host,
        container,
        owner,
        VethPair.Plan.of(owner.ifName().value())
            .withMtu(conf.mtu())
            .withMac(mac)
            .onHost(end -> end.master(bridge.index()).up())
            .then(name -> options(name, conf))
            .alsoIgnoringRouterAdvertisements(bridge.name()));
  }

  private static List<NetlinkRequest> options(String name, BridgeConf conf) {
    return conf.hairpin() || conf.isolated()
        ? List.of(
            Links.setPort(
                name, BridgePort.with(HAIRPIN, conf.hairpin()).and(ISOLATED, conf.isolated())))
        : List.of();
  }
}
