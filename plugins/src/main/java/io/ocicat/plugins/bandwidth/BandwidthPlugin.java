package io.ocicat.plugins.bandwidth;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Interface;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.StatusCall;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.tc.Rate;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.support.BestEffort;
import io.ocicat.plugins.support.Undo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Limits the rates at which a container receives and sends. What it receives leaves the host
 * through the host end of its veth pair, where a token bucket shapes it. What it sends arrives
 * there, where nothing can queue: a filter redirects it to an ifb, whose egress has the token
 * bucket.
 */
public final class BandwidthPlugin implements Plugin {

  @Override
  public Result add(AddCall call) {
    BandwidthConf conf = BandwidthConf.read(call.config());
    Result previous = call.requirePreviousResult();
    if (conf.isUnlimited()) {
      return previous;
    }
    try (NetnsSockets host = NetnsSockets.ofHost(call);
        NetnsSockets container = NetnsSockets.of(call.netns());
        Undo undo = new Undo()) {
      NetlinkSocket net = host.route();
      Link veth = HostVeth.of(host, container, call.ifName().value(), previous);
      List<NetlinkRequest> requests = new ArrayList<>();
      Result result = previous;

      if (conf.ingress().isPresent()) {
        TokenBucket.requireNone(net, veth);
        requests.add(TokenBucket.on(veth, conf.ingress().get()));
        undo.onFailure(() -> ConcurrentRemoval.perform(net, TokenBucket.remove(net, veth)));
      }
      if (conf.egress().isPresent()) {
        Ifb named = new Ifb(AttachmentOwner.of(call));
        Link ifb = undo.onFailure(named.create(host, veth.mtu()), made -> delete(net, made));
        undo.onFailure(
            () ->
                ConcurrentRemoval.perform(
                    net, IfbRedirect.remove(net, veth.index(), Set.of(ifb.index()))));
        requests.add(Links.setAlias(ifb.index(), named.alias()));
        requests.add(TokenBucket.on(ifb, conf.egress().get()));
        requests.addAll(IfbRedirect.to(net, veth, ifb.index()));
        result = previous.withInterface(onHost(ifb));
      }
      net.perform(requests);
      return undo.keep(result);
    }
  }

  @Override
  public List<Delegation> review(PluginConfig config) {
    BandwidthConf.read(config);
    return List.of();
  }

  @Override
  public void del(DelCall call) {
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      Optional<Link> ifb = new Ifb(AttachmentOwner.of(call)).find(host);
      // The veth may outlive this DEL. Remove its filter before the ifb: a filter without its ifb
      // drops packets.
      BestEffort.all(
          () -> release(call, host, ifb),
          () -> ifb.ifPresent(found -> delete(host.route(), found)));
    }
  }

  private static void release(DelCall call, NetnsSockets host, Optional<Link> ifb) {
    Optional<NetnsSockets> remaining = NetnsSockets.ofRemaining(call.netns());
    if (remaining.isEmpty()) {
      return;
    }
    try (NetnsSockets container = remaining.get()) {
      Optional<Link> veth = HostVeth.remaining(host, container, call.ifName().value());
      if (veth.isPresent()) {
        NetlinkSocket net = host.route();
        Set<Integer> targets =
            ifb.map(link -> Set.of(IfbRedirect.NOWHERE, link.index()))
                .orElse(Set.of(IfbRedirect.NOWHERE));
        List<NetlinkRequest> requests =
            new ArrayList<>(IfbRedirect.remove(net, veth.get().index(), targets));
        requests.addAll(TokenBucket.remove(net, veth.get()));
        ConcurrentRemoval.perform(net, requests);
      }
    }
  }

  @Override
  public void check(CheckCall call) {
    BandwidthConf conf = BandwidthConf.read(call.config());
    Result previous = call.requirePreviousResult();
    try (NetnsSockets host = NetnsSockets.ofHost(call);
        NetnsSockets container = NetnsSockets.of(call.netns())) {
      NetlinkSocket net = host.route();
      Link veth = HostVeth.of(host, container, call.ifName().value(), previous);
      conf.ingress().ifPresent(limit -> TokenBucket.check(net, veth, limit, "ingress"));
      conf.egress().ifPresent(limit -> checkEgress(call, host, veth, limit));
    }
  }

  private static void checkEgress(
      CheckCall call, NetnsSockets host, Link veth, DirectionLimit limit) {
    Ifb named = new Ifb(AttachmentOwner.of(call));
    Link ifb =
        named
            .find(host)
            .orElseThrow(
                () -> failed("get ifb device: link \"%s\" not found".formatted(named.name())));
    if (!ifb.isUp()) {
      throw failed("ifb \"%s\" is down".formatted(ifb.name()));
    }
    TokenBucket.check(host.route(), ifb, limit, "egress");
    if (!IfbRedirect.exists(host.route(), veth.index(), ifb.index())) {
      throw failed(
          "no filter of \"%s\" redirects to ifb \"%s\"".formatted(veth.name(), ifb.name()));
    }
  }

  private static CniException failed(String what) {
    return new CniException(ErrorCode.INTERNAL, what);
  }

  @Override
  public void gc(GcCall call) {
    call.validAttachments()
        .ifPresent(
            valid -> {
              try (NetnsSockets host = NetnsSockets.ofHost(call)) {
                StaleIfbs.collect(host.route(), call.network(), valid);
              }
            });
  }

  /** Tries everything ADD does, in a throwaway namespace. */
  @Override
  public void status(StatusCall call) {
    try (NetNs scratch = NetNs.create();
        NetlinkSocket net = NetlinkSocket.open(Protocol.ROUTE, scratch)) {
      LinkSettings settings = LinkSettings.named(Ifb.NAME_PREFIX + "probe").up();
      Link ifb = Links.create(net, settings, new LinkKind.Ifb());
      List<NetlinkRequest> requests = new ArrayList<>(IfbRedirect.to(net, ifb, ifb.index()));
      requests.add(TokenBucket.on(ifb, new DirectionLimit(Rate.ofBits(8_000_000), 10_000)));
      net.perform(requests);
    } catch (NetlinkException e) {
      throw new CniException(
          ErrorCode.PLUGIN_NOT_AVAILABLE,
          "cannot shape traffic here: %s; the kernel must have ifb, sch_tbf, sch_ingress, cls_u32 and act_mirred"
              .formatted(e.getMessage()),
          e);
    }
  }

  @Override
  public List<String> supportedVersions() {
    return SpecVersion.textsFrom(SpecVersion.V0_3_0);
  }

  @Override
  public String about() {
    return "CNI bandwidth plugin (ocicat)";
  }

  private static Interface onHost(Link ifb) {
    Interface device = Interface.onHost(ifb.name());
    return ifb.mac() == null ? device : device.withMac(ifb.mac());
  }

  private static void delete(NetlinkSocket net, Link link) {
    ConcurrentRemoval.perform(net, List.of(Links.delete(link.index())));
  }
}
