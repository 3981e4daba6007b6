package io.ocicat.plugins.ptp;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.StatusCall;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Routes;
import io.ocicat.plugins.masquerade.Masquerade;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.Carrier;
import io.ocicat.plugins.net.ContainerInterface;
import io.ocicat.plugins.net.Forwarding;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.OwnedVeth;
import io.ocicat.plugins.net.VethPair;
import io.ocicat.plugins.net.VethPair.HostEnd;
import io.ocicat.plugins.support.BestEffort;
import io.ocicat.plugins.support.Undo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Connects a container to the host by a veth pair of its own. The host end has the gateway's
 * address; everything the container sends goes there, even to its own subnet.
 */
public final class PtpPlugin implements Plugin {
  /** The index of the container's interface in the result: after the host end. */
  private static final int CONTAINER = 1;

  @Override
  public Result add(AddCall call) {
    PtpConf conf = PtpConf.read(call.config());
    AttachmentOwner owner = AttachmentOwner.of(call);
    try (NetnsSockets host = NetnsSockets.ofHost(call);
        NetnsSockets container = NetnsSockets.of(call.netns());
        Undo undo = new Undo()) {
      // Before there is anything to undo: the addresses of an earlier ADD belong to the same owner.
      VethPair.requireFreeName(container, owner.ifName().value());

      Result ipam = undo.onFailure(call.ipam().add(), _ -> call.ipam().del());
      List<PtpAddress> addresses = PtpAddress.of(ipam);
      families(addresses).forEach(family -> Forwarding.enable(host, family));

      VethPair veth =
          undo.onFailure(
              VethPair.create(
                  host,
                  container,
                  VethPair.Plan.of(owner.ifName().value())
                      .withMtu(conf.mtu())
                      .withHost(HostEnd.RANDOM.withAlias(OwnedVeth.alias(owner)))),
              pair -> pair.delete(host));
      veth.ignoreRouterAdvertisements(host);
      Result result =
          ipam.withInterfaces(
                  List.of(veth.host().onHost(), veth.container().inSandbox(call.netns().text())))
              .mapIps(ip -> ip.onInterface(CONTAINER));
      configureContainer(container, veth.container().device(), addresses, result);
      configureHost(host, veth.host().device(), addresses);
      Carrier.await(container, veth.container().device(), call.deadline());

      if (conf.masquerade()) {
        undo.onFailure(() -> Masquerade.remove(host, owner));
        Masquerade.install(host, owner, prefixes(addresses));
      }
      return undo.keep(conf.dns() == null ? result : result.withDns(conf.dns()));
    }
  }

  private static void configureContainer(
      NetnsSockets container, Device veth, List<PtpAddress> addresses, Result result) {
    forgoDuplicateDetection(container, veth, addresses);
    ContainerInterface.configure(
        container,
        veth,
        result,
        address -> usableAtOnce(address).noPrefixRoute(),
        PtpAddress.inContainer(addresses, veth, result));
  }

  private static void configureHost(NetnsSockets host, Device veth, List<PtpAddress> addresses) {
    forgoDuplicateDetection(host, veth, addresses);
    List<NetlinkRequest> requests = new ArrayList<>();
    requests.add(Links.up(veth.index()));
    addresses.stream()
        .map(PtpAddress::gatewayPrefix)
        .distinct()
        .map(gateway -> usableAtOnce(Address.of(gateway, veth)))
        .forEach(gateway -> requests.add(Addresses.add(gateway)));
    // An existing route leads to a container that had the address before.
    addresses.forEach(address -> requests.add(Routes.replace(address.onHost(veth))));
    host.route().perform(requests);
  }

  /**
   * There is nobody else on the veth pair. The kernel would run detection all the same, for the
   * link-local addresses of both ends, and neither end resolves until it is done.
   */
  private static void forgoDuplicateDetection(
      NetnsSockets net, Device veth, List<PtpAddress> addresses) {
    if (families(addresses).contains(IpFamily.V6)) {
      net.writeIfPossible(Sysctl.of("net", "ipv6", "conf", veth.name(), "accept_dad"), "0");
    }
  }

  private static Address usableAtOnce(Address address) {
    return address.prefix().isV6() ? address.nodad() : address;
  }

  @Override
  public List<Delegation> review(PluginConfig config) {
    PtpConf.read(config);
    return List.of(Delegation.toIpam(config));
  }

  /** Others may get the address only when nothing leads to this container any more. */
  @Override
  public void del(DelCall call) {
    AttachmentOwner owner = AttachmentOwner.of(call);
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      BestEffort.all(
          () -> removeVeth(call, host, owner),
          () -> Masquerade.remove(host, owner),
          () -> call.ipam().del());
    }
  }

  private static void removeVeth(DelCall call, NetnsSockets host, AttachmentOwner owner) {
    Optional<NetnsSockets> container = NetnsSockets.ofRemaining(call.netns());
    try {
      OwnedVeth.remove(host, container, owner, call.previousResult());
    } finally {
      container.ifPresent(NetnsSockets::close);
    }
  }

  @Override
  public void check(CheckCall call) {
    PtpConf conf = PtpConf.read(call.config());
    try (NetnsSockets host = NetnsSockets.ofHost(call);
        NetnsSockets container = NetnsSockets.of(call.netns())) {
      call.ipam().check();
      PtpCheck check =
          new PtpCheck(
              host,
              container,
              call.requirePreviousResult(),
              call.netns().text(),
              call.ifName().value());
      check.verify();
      if (conf.masquerade()) {
        Masquerade.verify(host, AttachmentOwner.of(call), check.addresses());
      }
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
          () -> Masquerade.collect(host, call.network(), valid.get()),
          () -> call.ipam().gc());
    }
  }

  @Override
  public void status(StatusCall call) {
    PtpConf conf = PtpConf.read(call.config());
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      if (conf.masquerade() && !host.hasNfTables()) {
        throw new CniException(
            ErrorCode.PLUGIN_NOT_AVAILABLE, "ipMasq needs a kernel with nf_tables, this has none");
      }
    }
    call.ipam().status();
  }

  @Override
  public String about() {
    return "CNI ptp plugin (ocicat)";
  }

  private static Set<IpFamily> families(List<PtpAddress> addresses) {
    return addresses.stream()
        .map(PtpAddress::family)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<IpPrefix> prefixes(List<PtpAddress> addresses) {
    return addresses.stream().map(PtpAddress::address).toList();
  }
}
