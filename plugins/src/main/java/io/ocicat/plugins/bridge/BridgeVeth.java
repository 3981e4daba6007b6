package io.ocicat.plugins.bridge;

import static io.ocicat.netlink.link.BridgePortOption.HAIRPIN;
import static io.ocicat.netlink.link.BridgePortOption.ISOLATED;

import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.link.BridgePort;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.OwnedVeth;
import io.ocicat.plugins.net.VethPair;
import io.ocicat.plugins.net.VethPair.HostEnd;
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
    VethPair veth =
        VethPair.create(
            host,
            container,
            VethPair.Plan.of(owner.ifName().value())
                .withMtu(conf.mtu())
                .withMac(mac)
                .withHost(
                    HostEnd.RANDOM
                        .as(new VethPair.Port(bridge.index(), options(conf)))
                        .withAlias(OwnedVeth.alias(owner))));
    veth.ignoreRouterAdvertisements(host, bridge.name());
    return veth;
  }

  private static Optional<BridgePort> options(BridgeConf conf) {
    return conf.hairpin() || conf.isolated()
        ? Optional.of(BridgePort.with(HAIRPIN, conf.hairpin()).and(ISOLATED, conf.isolated()))
        : Optional.empty();
  }
}
