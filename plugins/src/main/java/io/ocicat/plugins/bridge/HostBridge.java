package io.ocicat.plugins.bridge;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.Interface;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.link.BridgeOption;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.route.Device;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.VethPair;
import java.util.Optional;

/**
 * The bridge on the host, shared by all containers of a network and never removed by DEL.
 *
 * @param fresh whether this call created it
 */
record HostBridge(Link link, boolean fresh) {
  private static final int DEFAULT_VLAN = 1;

  /**
   * Finds or creates the bridge and brings it up. Several calls may do so at once: the kernel lets
   * one of them create it.
   */
  static HostBridge ensure(NetnsSockets host, BridgeConf conf) {
    Optional<Link> present = host.link(conf.bridge());
    HostBridge bridge =
        present.isPresent() ? new HostBridge(present.get(), false) : create(host, conf);
    requireBridge(bridge.link());
    bridge.bringUp(host, conf);
    return bridge;
  }

  /**
   * Creates it with a hardware address of its own. Without one, a bridge uses the lowest address of
   * its ports, which changes as containers come and go while their neighbours cache the old one.
   */
  private static HostBridge create(NetnsSockets host, BridgeConf conf) {
    LinkSettings settings = LinkSettings.named(conf.bridge()).mac(VethPair.randomMac()).up();
    settings = conf.mtu() == 0 ? settings : settings.mtu(conf.mtu());
    settings = conf.promiscuous() ? settings.promiscuous(true) : settings;
    LinkKind.Bridge kind = new LinkKind.Bridge();
    if (conf.vlans().needFiltering()) {
      kind = kind.with(BridgeOption.VLAN_FILTERING, true);
    }
    try {
      return new HostBridge(Links.create(host.route(), settings, kind), true);
    } catch (NetlinkException e) {
      if (e.is(Errno.EEXIST)) {
        return new HostBridge(host.requireLink(conf.bridge()), false);
      }
      throw conf.vlans().needFiltering() ? explained(e, conf.vlans()) : e;
    }
  }

  /** Explains the error of a kernel without VLAN filtering. */
  static RuntimeException explained(NetlinkException refusal, PortVlans vlans) {
    return refusal.is(Errno.EOPNOTSUPP)
        ? new CniException(
            ErrorCode.UNSUPPORTED_FIELD,
            "%s is not supported by this kernel: bridges cannot filter VLANs".formatted(vlans),
            "it was built without CONFIG_BRIDGE_VLAN_FILTERING (%s): remove vlan and vlanTrunk"
                .formatted(refusal.getMessage()))
        : refusal;
  }

  static void requireBridge(Link link) {
    if (!link.kind().equals("bridge")) {
      throw new CniException(
              ErrorCode.INTERNAL,
              "\"%s\" already exists but is not a bridge".formatted(link.name()),
              "it is %s: choose another name as bridge, or remove it"
                  .formatted(link.kind().isEmpty() ? "hardware" : "of kind " + link.kind()))
          .because(FailureReason.NAME_TAKEN);
    }
  }

  private void bringUp(NetnsSockets host, BridgeConf conf) {
    boolean listen = conf.promiscuous() && !link.isPromiscuous();
    if (!link.isUp() || listen) {
      LinkSettings settings = LinkSettings.none().up();
      host.route().perform(Links.set(link.index(), listen ? settings.promiscuous(true) : settings));
    }
  }

  int index() {
    return link.index();
  }

  String name() {
    return link.name();
  }

  MacAddress mac() {
    MacAddress mac = link.mac();
    if (mac == null) {
      throw new CniException(
          ErrorCode.INTERNAL, "bridge \"%s\" has no hardware address".formatted(name()));
    }
    return mac;
  }

  Device device() {
    return Device.of(link);
  }

  Interface inResult() {
    return Interface.onHost(name()).withMac(mac());
  }

  boolean filtersVlans() {
    return link.as(LinkKind.Bridge.class)
        .map(bridge -> bridge.is(BridgeOption.VLAN_FILTERING))
        .orElse(false);
  }

  /** The default VLAN of every new port; 0 for none. */
  int defaultVlan() {
    return link.as(LinkKind.Bridge.class)
        .map(bridge -> bridge.defaultPvid() == null ? DEFAULT_VLAN : bridge.defaultPvid())
        .orElse(DEFAULT_VLAN);
  }

  /**
   * The bridge after it got another port: a bridge that others created may use the lowest address
   * of its ports. Usually it already has a port with a lower address, and no query is needed.
   */
  HostBridge withPort(NetnsSockets host, MacAddress port) {
    boolean keepsAddress = fresh || (link.isRunning() && mac().compareTo(port) < 0);
    return keepsAddress ? this : new HostBridge(host.requireLink(name()), false);
  }
}
