package io.ocicat.plugins.macvlan;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Interface;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.StatusCall;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind.Macvlan;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.netlink.route.Device;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.ContainerInterface;
import io.ocicat.plugins.net.DuplicateDetection;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.NoIpam;
import io.ocicat.plugins.net.OwnedVeth;
import io.ocicat.plugins.support.BestEffort;
import io.ocicat.plugins.support.Undo;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Connects a container to the network of a host interface by a macvlan device, which shares that
 * interface but has a hardware address of its own.
 */
public final class MacvlanPlugin implements Plugin {

  /**
   * Creates the interface before allocating addresses: creating it fails if an earlier ADD already
   * made one, and the addresses of that attachment must not be touched.
   */
  @Override
  public Result add(AddCall call) {
    MacvlanConf conf = MacvlanConf.read(call);
    NoIpam.requireExpressible(call.config());
    String ifName = call.ifName().value();
    try (NetnsSockets host = NetnsSockets.ofHost(call);
        NetnsSockets container = NetnsSockets.of(call.netns());
        Undo undo = new Undo()) {
      Link master = Master.find(conf.masterInContainer() ? container : host, conf);
      create(conf.masterInContainer() ? container : host, container, ifName, master, conf);
      undo.onFailure(() -> delete(container, ifName));
      Link link = container.requireLink(ifName);
      container.route().perform(OwnedVeth.label(link.index(), AttachmentOwner.of(call)));

      Result result = Result.empty().withInterface(inSandbox(link, call.netns().text()));
      if (conf.addressed()) {
        Result ipam = undo.onFailure(call.ipam().add(), _ -> undoAdd(call, container, ifName));
        requireAddresses(ipam);
        result =
            result.withIps(ipam.ips()).withRoutes(ipam.routes()).mapIps(ip -> ip.onInterface(0));
        configure(call, container, link, result);
      } else {
        container.route().perform(Links.up(link.index()));
      }
      return undo.keep(result.withDns(conf.dns()));
    }
  }

  private static void create(
      NetnsSockets where, NetnsSockets container, String ifName, Link master, MacvlanConf conf) {
    LinkSettings settings = LinkSettings.named(ifName).in(container.namespace());
    settings = conf.mtu() == 0 ? settings : settings.mtu(conf.mtu());
    settings = conf.mac().map(settings::mac).orElse(settings);
    Macvlan kind =
        new Macvlan(master.index(), conf.mode()).withBroadcastQueue((int) conf.broadcastQueue());
    try {
      where.route().perform(Links.create(settings, kind));
    } catch (NetlinkException e) {
      if (e.is(Errno.EEXIST) && container.link(ifName).isPresent()) {
        throw new CniException(
            ErrorCode.INTERNAL,
            "container interface name (\"%s\") already exists".formatted(ifName),
            "ADD ran before for this interface: run DEL first");
      }
      throw e;
    }
  }

  private static void requireAddresses(Result ipam) {
    if (ipam.ips().isEmpty()) {
      throw new CniException(ErrorCode.INTERNAL, "IPAM plugin returned missing IP config");
    }
  }

  private static void configure(AddCall call, NetnsSockets container, Link link, Result result) {
    // So that neighbours that cached another container's hardware address learn the new one at
    // once.
    container.writeIfPossible(
        Map.of(
            Sysctl.of("net", "ipv4", "conf", link.name(), "arp_notify"), "1",
            Sysctl.of("net", "ipv6", "conf", link.name(), "ndisc_notify"), "1"));
    Device device = Device.of(link);
    ContainerInterface.configure(container, device, result, true);
    boolean v6 = result.ips().stream().anyMatch(ip -> ip.address().isV6());
    // The network is shared with other machines. Without a carrier nobody answers, and nobody
    // asks.
    if (v6 && container.requireLink(link.name()).isRunning()) {
      DuplicateDetection.await(container, device, call.deadline());
    }
  }

  /** Releases the addresses last: nobody else may get them before the interface is gone. */
  private static void undoAdd(AddCall call, NetnsSockets container, String ifName) {
    BestEffort.all(() -> delete(container, ifName), () -> call.ipam().del());
  }

  @Override
  public List<Delegation> review(PluginConfig config) {
    MacvlanConf.read(config);
    NoIpam.requireExpressible(config);
    return Delegation.toIpamIfAny(config);
  }

  @Override
  public void del(DelCall call) {
    BestEffort.all(
        () -> {
          Optional<NetnsSockets> remaining = NetnsSockets.ofRemaining(call.netns());
          if (remaining.isPresent()) {
            try (NetnsSockets container = remaining.get()) {
              delete(container, call.ifName().value());
            }
          }
        },
        () -> {
          if (!call.config().ipamType().isEmpty()) {
            call.ipam().del();
          }
        });
  }

  /** One that is already gone is not an error. */
  private static void delete(NetnsSockets container, String ifName) {
    for (RequestOutcome outcome : container.route().attempt(List.of(Links.delete(ifName)))) {
      Optional<NetlinkException> failure = outcome.failure().filter(e -> !e.is(Errno.ENODEV));
      if (failure.isPresent()) {
        throw failure.get();
      }
    }
  }

  @Override
  public void check(CheckCall call) {
    MacvlanConf conf = MacvlanConf.read(call);
    try (NetnsSockets host = NetnsSockets.ofHost(call);
        NetnsSockets container = NetnsSockets.of(call.netns())) {
      if (conf.addressed()) {
        call.ipam().check();
      }
      Result result = call.requirePreviousResult();
      Link master = Master.find(conf.masterInContainer() ? container : host, conf);
      Link link = container.requireLink(call.ifName().value());
      checkLink(link, master, conf, recorded(call, result));
      if (conf.addressed()) {
        ContainerInterface.verify(container, link.name(), result);
      }
    }
  }

  private static Interface recorded(CheckCall call, Result result) {
    String name = call.ifName().value();
    String sandbox = call.netns().text();
    return result.interfaces().stream()
        .filter(i -> i.name().equals(name) && i.sandbox().equals(sandbox))
        .findFirst()
        .orElseThrow(
            () -> wrong("prevResult has no interface \"%s\" in %s".formatted(name, sandbox)));
  }

  private static void checkLink(Link link, Link master, MacvlanConf conf, Interface recorded) {
    Macvlan macvlan =
        link.as(Macvlan.class)
            .orElseThrow(() -> wrong("interface \"%s\" is not a macvlan".formatted(link.name())));
    if (macvlan.mode() != conf.mode()) {
      throw wrong(
          "interface \"%s\" has macvlan mode %s, not %s"
              .formatted(
                  link.name(), MacvlanConf.name(macvlan.mode()), MacvlanConf.name(conf.mode())));
    }
    if (macvlan.parent() != master.index()) {
      throw wrong(
          "interface \"%s\" does not share the master \"%s\""
              .formatted(link.name(), master.name()));
    }
    if (!link.isUp()) {
      throw wrong("interface \"%s\" is down".formatted(link.name()));
    }
    if (!recorded.mac().isEmpty() && !recorded.mac().equalsIgnoreCase(String.valueOf(link.mac()))) {
      throw wrong(
          "interface \"%s\" has the hardware address %s, not %s as prevResult says"
              .formatted(link.name(), link.mac(), recorded.mac()));
    }
  }

  private static CniException wrong(String what) {
    return new CniException(ErrorCode.INTERNAL, what);
  }

  /** Interfaces end with their namespaces: only addresses can be left. */
  @Override
  public void gc(GcCall call) {
    if (call.validAttachments().isPresent() && !call.config().ipamType().isEmpty()) {
      call.ipam().gc();
    }
  }

  @Override
  public void status(StatusCall call) {
    MacvlanConf conf = MacvlanConf.read(call.config());
    if (!conf.masterInContainer()) {
      try (NetnsSockets host = NetnsSockets.ofHost(call)) {
        Master.find(host, conf);
      } catch (CniException e) {
        throw new CniException(ErrorCode.PLUGIN_NOT_AVAILABLE, e.msg(), e.details());
      }
    }
    if (conf.addressed()) {
      call.ipam().status();
    }
  }

  @Override
  public String about() {
    return "CNI macvlan plugin (ocicat)";
  }

  private static Interface inSandbox(Link link, String sandbox) {
    Interface inside = Interface.inSandbox(link.name(), sandbox);
    return link.mac() == null ? inside : inside.withMac(link.mac());
  }
}
