package io.ocicat.plugins.bridge;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.StatusCall;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.netlink.route.Device;
import io.ocicat.plugins.masquerade.Masquerade;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.Carrier;
import io.ocicat.plugins.net.ContainerInterface;
import io.ocicat.plugins.net.DuplicateDetection;
import io.ocicat.plugins.net.Forwarding;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.NoIpam;
import io.ocicat.plugins.net.OwnedVeth;
import io.ocicat.plugins.net.VethPair;
import io.ocicat.plugins.support.BestEffort;
import io.ocicat.plugins.support.Undo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Connects a container to a Linux bridge on the host, creating the bridge when it is missing. */
public final class BridgePlugin implements Plugin {
  /** The index of the container's interface in the result: after the bridge and the host end. */
  private static final int CONTAINER = 2;

  /**
   * Creates the veth pair before allocating addresses: creating it fails if an earlier ADD already
   * made one, and the addresses of that attachment must not be touched.
   */
  @Override
  public Result add(AddCall call) {
    BridgeConf conf = BridgeConf.read(call.config());
    Optional<MacAddress> mac = containerMac(call, conf);
    NoIpam.requireExpressible(call.config());
    AttachmentOwner owner = AttachmentOwner.of(call);
    try (NetnsSockets host = NetnsSockets.ofHost(call);
        NetnsSockets container = NetnsSockets.of(call.netns());
        Undo undo = new Undo()) {
      HostBridge bridge = HostBridge.ensure(host, conf);
      VethPair veth =
          undo.onFailure(
              BridgeVeth.create(host, container, owner, bridge, conf, mac),
              pair -> pair.delete(host));
      programVlans(call, host, bridge, veth, conf);
      if (conf.spoofCheck()) {
        undo.onFailure(() -> SpoofCheck.remove(host, owner, Optional.empty()));
        SpoofCheck.install(host, owner, veth.host(), veth.container().mac());
      }

      List<Interface> interfaces = new ArrayList<>();
      interfaces.add(bridge.inResult());
      interfaces.add(veth.host().onHost());
      interfaces.add(veth.container().inSandbox(call.netns().text()));
      Result result = Result.empty();
      if (conf.addressed()) {
        Result ipam = undo.onFailure(call.ipam().add(), _ -> release(call, host, veth));
        Gateways gateways = Gateways.of(ipam, conf, CONTAINER);
        assign(host, bridge, gateways, conf).ifPresent(interfaces::add);
        result =
            result
                .withIps(gateways.addresses())
                .withRoutes(gateways.routes())
                .withDns(conf.dns() == null ? ipam.dns() : conf.dns());
        prepare(container, veth.container().name(), conf);
        ContainerInterface.configure(
            container,
            veth.container().device(),
            result.withInterfaces(interfaces),
            conf.detectDuplicates());
        if (conf.masquerade()) {
          undo.onFailure(() -> Masquerade.remove(host, owner));
          Masquerade.install(
              host, owner, gateways.addresses().stream().map(IpConfig::address).toList());
        }
      } else if (!conf.leaveDown()) {
        container.route().perform(Links.up(veth.container().index()));
      }
      if (!conf.leaveDown()) {
        awaitCarrier(call, host, veth);
      }
      if (conf.addressed() && conf.detectDuplicates()) {
        DuplicateDetection.await(container, veth.container().device(), call.deadline());
      }
      interfaces.set(0, bridge.withPort(host, veth.host().mac()).inResult());
      return undo.keep(result.withInterfaces(interfaces));
    }
  }

  /** Releases the addresses last: nobody else may get them before the veth pair is gone. */
  private static void release(AddCall call, NetnsSockets host, VethPair veth) {
    veth.delete(host);
    call.ipam().del();
  }

  /** CNI_ARGS has the lowest precedence. */
  private static Optional<MacAddress> containerMac(AddCall call, BridgeConf conf) {
    CniArgs args = call.args();
    args.refuseUnknown(Set.of("MAC"));
    Optional<MacAddress> asked =
        args.get("MAC").filter(mac -> !mac.isEmpty()).isPresent()
            ? args.get("MAC", MacAddress::parse)
            : Optional.empty();
    return Optional.ofNullable(conf.mac()).or(() -> asked);
  }

  private static void programVlans(
      AddCall call, NetnsSockets host, HostBridge bridge, VethPair veth, BridgeConf conf) {
    PortVlans vlans = conf.vlans();
    if (vlans.needFiltering() && !bridge.filtersVlans()) {
      call.log(
          "bridge \"%s\" was made without VLAN filtering: %s has no effect until it is turned on"
              .formatted(bridge.name(), vlans));
    }
    try {
      host.route().perform(vlans.program(veth.host().index(), bridge.defaultVlan()));
    } catch (NetlinkException e) {
      throw HostBridge.explained(e, vlans);
    }
  }

  /** Makes the host the containers' gateway; in a VLAN, through a separate interface. */
  private static Optional<Interface> assign(
      NetnsSockets host, HostBridge bridge, Gateways gateways, BridgeConf conf) {
    if (gateways.onBridge().isEmpty()) {
      return Optional.empty();
    }
    Optional<VlanGateway> inVlan =
        conf.vlans().access() == 0
            ? Optional.empty()
            : Optional.of(VlanGateway.ensure(host, bridge, conf));
    Device device = inVlan.map(VlanGateway::device).orElseGet(bridge::device);
    MacAddress mac = inVlan.map(VlanGateway::mac).orElseGet(bridge::mac);
    new BridgeAddresses(host, device, gateways.onBridge())
        .ensure(mac, conf.forceAddress(), conf.detectDuplicates());
    if (gateways.hasV4()) {
      Forwarding.enable(host, IpFamily.V4);
    }
    if (gateways.hasV6()) {
      Forwarding.enable(host, IpFamily.V6);
    }
    return inVlan.map(VlanGateway::inResult);
  }

  /** Before it is up, so that these settings apply to its first packets. */
  private static void prepare(NetnsSockets container, String name, BridgeConf conf) {
    Map<Sysctl, String> settings = new HashMap<>();
    settings.put(Sysctl.of("net", "ipv4", "conf", name, "arp_notify"), "1");
    settings.put(
        Sysctl.of("net", "ipv6", "conf", name, "accept_dad"), conf.detectDuplicates() ? "1" : "0");
    if (conf.detectDuplicates()) {
      settings.put(Sysctl.of("net", "ipv6", "conf", name, "enhanced_dad"), "1");
    }
    container.writeIfPossible(settings);
  }

  private static void awaitCarrier(AddCall call, NetnsSockets host, VethPair veth) {
    try {
      Carrier.await(host, veth.host().device(), call.deadline());
    } catch (CniException e) {
      throw e.prefixed("bridge port in error state: ");
    }
  }

  @Override
  public List<Delegation> review(PluginConfig config) {
    BridgeConf.read(config);
    NoIpam.requireExpressible(config);
    return Delegation.toIpamIfAny(config);
  }

  @Override
  public void del(DelCall call) {
    AttachmentOwner owner = AttachmentOwner.of(call);
    Optional<Result> previous = call.previousResult();
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      BestEffort.all(
          () -> removeVeth(call, host, owner, previous),
          () -> {
            if (!call.config().ipamType().isEmpty()) {
              call.ipam().del();
            }
          },
          () -> SpoofCheck.remove(host, owner, previous),
          () -> Masquerade.remove(host, owner));
    }
  }

  private static void removeVeth(
      DelCall call, NetnsSockets host, AttachmentOwner owner, Optional<Result> previous) {
    Optional<NetnsSockets> container = NetnsSockets.ofRemaining(call.netns());
    try {
      OwnedVeth.remove(host, container, owner, previous);
    } finally {
      container.ifPresent(NetnsSockets::close);
    }
  }

  @Override
  public void check(CheckCall call) {
    BridgeConf conf = BridgeConf.read(call.config());
    try (NetnsSockets host = NetnsSockets.ofHost(call);
        NetnsSockets container = NetnsSockets.of(call.netns())) {
      if (conf.addressed()) {
        call.ipam().check();
      }
      new BridgeCheck(host, container, conf, call.requirePreviousResult())
          .verify(AttachmentOwner.of(call), call.netns().text());
    }
  }

  @Override
  public void gc(GcCall call) {
    Optional<Set<Attachment>> valid = call.validAttachments();
    if (valid.isEmpty()) {
      return;
    }
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      BestEffort.all(
          () -> OwnedVeth.collect(host, call.network(), valid.get()),
          () -> {
            if (!call.config().ipamType().isEmpty()) {
              call.ipam().gc();
            }
          },
          () -> SpoofCheck.collect(host, call.network(), valid.get()),
          () -> Masquerade.collect(host, call.network(), valid.get()));
    }
  }

  @Override
  public void status(StatusCall call) {
    BridgeConf conf = BridgeConf.read(call.config());
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      host.link(conf.bridge()).ifPresent(HostBridge::requireBridge);
    } catch (CniException e) {
      throw new CniException(io.ocicat.cni.ErrorCode.PLUGIN_NOT_AVAILABLE, e.msg(), e.details());
    }
    if (conf.addressed()) {
      call.ipam().status();
    }
  }

  @Override
  public String about() {
    return "CNI bridge plugin (ocicat)";
  }
}
