package io.ocicat.agent.kernel;

import io.ocicat.agent.desired.DesiredState;
import io.ocicat.agent.desired.DesiredTunnel;
import io.ocicat.agent.desired.IpipDevice;
import io.ocicat.agent.desired.TunnelDevice;
import io.ocicat.agent.desired.VxlanDevice;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkKind.Ipip;
import io.ocicat.netlink.link.LinkKind.Vxlan;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.link.VxlanOption;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a tunnel device as desired. What can be changed in place is: MAC address, MTU, local
 * address, parent, addresses, up. Only another VNI, UDP port or kind of device makes it necessary
 * to create it again, which loses its routes and entries for a moment. The kernel's own {@code
 * tunl0} is never deleted. For one thread.
 */
final class TunnelReconciler {
  private static final String ACCEPT_RA = "accept_ra";

  private final String name;
  private final NetNs host;
  private final NetlinkSocket net;
  private final LinkTable links;
  private final DesiredState desired;
  private final RepairLog log;

  /** One key, for the device as a whole. */
  private final PendingKeys<String> pending;

  private @Nullable DesiredTunnel applied;
  private @Nullable String problem;
  private long writes;

  TunnelReconciler(
      String name,
      NetNs host,
      NetlinkSocket net,
      LinkTable links,
      DesiredState desired,
      RepairLog log,
      LongSupplier nanoTime) {
    this.name = name;
    this.host = host;
    this.net = net;
    this.links = links;
    this.desired = desired;
    this.log = log;
    this.pending = new PendingKeys<>(nanoTime);
    pending.now(name);
  }

  String name() {
    return name;
  }

  /** The links were read again. */
  void resync() {
    pending.now(name);
  }

  /** The kernel reports the device, its parent, or one of its addresses. */
  void changed() {
    pending.soon(name);
  }

  void apply() {
    DesiredTunnel wanted = desired.tunnel(name).orElseThrow();
    if (!wanted.equals(applied)) {
      pending.now(name);
    }
    if (pending.take().isEmpty()) {
      return;
    }
    try {
      switch (wanted) {
        case DesiredTunnel.Present(VxlanDevice device) -> ensure(device);
        case DesiredTunnel.Present(IpipDevice device) -> ensure(device);
        case DesiredTunnel.Undecided _ -> {}
        case DesiredTunnel.Unused(List<IpPrefix> ranges) -> remove(ranges);
      }
      applied = wanted;
      problem = null;
      pending.succeeded(name);
    } catch (NetlinkException e) {
      report(explain(wanted, e));
      pending.retry(name);
    }
  }

  /** What an operator can do about a kernel that lacks the device. */
  private static String explain(DesiredTunnel wanted, NetlinkException failure) {
    String message = String.valueOf(failure.getMessage());
    if (!failure.is(Errno.EOPNOTSUPP) || !(wanted instanceof DesiredTunnel.Present present)) {
      return message;
    }
    return message
        + switch (present.device()) {
          case IpipDevice _ ->
              ": this kernel has no IPIP: load its module (modprobe ipip), or set ipipMode of the"
                  + " pools to Never and vxlanMode to Always or CrossSubnet";
          case VxlanDevice _ ->
              ": this kernel has no VXLAN: load its module (modprobe vxlan), or use pools without"
                  + " encapsulation";
        };
  }

  private boolean wasApplied() {
    return desired.tunnel(name).filter(wanted -> wanted.equals(applied)).isPresent();
  }

  private void ensure(VxlanDevice wanted) {
    Link parent =
        links
            .find(wanted.parent())
            .orElseThrow(
                () ->
                    new NetlinkException(
                        "create " + name,
                        Errno.ENODEV,
                        "its parent %s does not exist".formatted(wanted.parent())));
    Link link = links.find(name).orElse(null);
    if (link != null && mustBeReplaced(link, wanted)) {
      log.write(
          "%s is %s, wanted is %s: creating it again"
              .formatted(name, link.options(), kind(wanted, parent)));
      perform(List.of(Links.delete(link.index())));
      links.remove(link.index());
      link = null;
    }
    if (link == null) {
      create(
          wanted,
          LinkSettings.named(name).mac(wanted.mac()).mtu(wanted.mtu()),
          kind(wanted, parent));
    } else {
      adjust(link, wanted, parent);
    }
    if (wanted.options().ignoresRouters()) {
      ignoreRouters();
    }
  }

  /** The name may belong to the device that loading the module has just made. */
  private void ensure(IpipDevice wanted) {
    if (links.find(name).isEmpty()) {
      try {
        create(wanted, LinkSettings.named(name).mtu(wanted.mtu()), new Ipip());
        return;
      } catch (NetlinkException e) {
        if (!e.is(Errno.EEXIST)) {
          throw e;
        }
      }
      net.find(Links.named(name)).ifPresent(links::put);
    }
    Link link = links.find(name).orElseThrow();
    if (!link.kind().equals("ipip")) {
      throw new NetlinkException(
          "set up " + name,
          Errno.EEXIST,
          "a link of kind %s has this name: rename or delete it".formatted(link.kind()));
    }
    Changes changes = new Changes();
    adjustCommon(link, wanted, changes);
    send(link, changes);
  }

  private static Vxlan kind(VxlanDevice wanted, Link parent) {
    Vxlan kind = changeable(wanted, parent).withPort(wanted.port());
    return wanted.options().gbp() ? kind.withGbp() : kind;
  }

  /** The kernel refuses to change a device if port or GBP are mentioned, even the same ones. */
  private static Vxlan changeable(VxlanDevice wanted, Link parent) {
    return new Vxlan(wanted.vni())
        .withLocal(wanted.local())
        .withParent(parent.index())
        .with(VxlanOption.LEARNING, wanted.options().learning());
  }

  private static boolean mustBeReplaced(Link link, VxlanDevice wanted) {
    Vxlan there = link.as(Vxlan.class).orElse(null);
    return there == null
        || there.id() != wanted.vni()
        || there.port() != wanted.port()
        || there.gbp() != wanted.options().gbp();
  }

  private void create(TunnelDevice wanted, LinkSettings settings, LinkKind kind) {
    if (wasApplied()) {
      log.write("%s was removed by somebody else: creating it again".formatted(name));
    }
    Link made = Links.create(net, settings, kind);
    writes++;
    links.put(made);
    perform(List.of(Addresses.replace(address(made, wanted)), Links.up(made.index())));
    refresh(made.index());
  }

  private static Address address(Link link, TunnelDevice wanted) {
    Address address = Address.of(IpPrefix.host(wanted.tunnelAddress()), Device.of(link));
    return wanted.tunnelAddress().isV6() ? address.nodad() : address;
  }

  /** What is sent, and why. */
  private record Changes(List<NetlinkRequest> requests, List<String> differences) {
    Changes() {
      this(new ArrayList<>(), new ArrayList<>());
    }

    void add(String difference, NetlinkRequest request) {
      differences.add(difference);
      requests.add(request);
    }
  }

  private void adjust(Link link, VxlanDevice wanted, Link parent) {
    Changes changes = new Changes();
    Vxlan there = link.as(Vxlan.class).orElseThrow();
    if (!Objects.equals(wanted.local(), there.local())
        || there.parent() != parent.index()
        || there.is(VxlanOption.LEARNING) != wanted.options().learning()) {
      changes.add(
          "local %s dev %s learning %s"
              .formatted(
                  String.valueOf(there.local()),
                  links.name(there.parent()),
                  there.is(VxlanOption.LEARNING)),
          Links.configure(link.index(), changeable(wanted, parent)));
    }
    if (!wanted.mac().equals(link.mac())) {
      changes.add("MAC address " + link.mac(), Links.setMac(link.index(), wanted.mac()));
    }
    adjustCommon(link, wanted, changes);
    send(link, changes);
  }

  private void adjustCommon(Link link, TunnelDevice wanted, Changes changes) {
    if (wanted.mtu() != link.mtu()) {
      changes.add("MTU " + link.mtu(), Links.setMtu(link.index(), wanted.mtu()));
    }
    adjustAddresses(link, wanted, changes);
    if (!link.isUp()) {
      changes.add("down", Links.up(link.index()));
    }
  }

  private void send(Link link, Changes changes) {
    if (!changes.requests().isEmpty()) {
      if (wasApplied()) {
        log.write(
            "%s was changed by somebody else (%s): restored"
                .formatted(name, String.join(", ", changes.differences())));
      }
      perform(changes.requests());
      refresh(link.index());
    }
  }

  private void adjustAddresses(Link link, TunnelDevice wanted, Changes changes) {
    IpPrefix only = IpPrefix.host(wanted.tunnelAddress());
    List<IpPrefix> there =
        links.addresses(link.index()).stream()
            .filter(prefix -> prefix.isV4() == only.isV4())
            .filter(prefix -> !prefix.address().isLinkLocal())
            .toList();
    if (!there.contains(only)) {
      changes.add("without address " + only, Addresses.replace(address(link, wanted)));
    }
    there.stream()
        .filter(prefix -> !prefix.equals(only))
        .forEach(
            prefix ->
                changes.add(
                    "address " + prefix, Addresses.delete(Address.of(prefix, Device.of(link)))));
  }

  /** Reads the device back: routes need it up at once, before the kernel's report arrives. */
  private void refresh(int index) {
    net.find(Links.byIndex(index)).ifPresent(links::put);
    net.list(Addresses.list(Device.of(index))).forEach(links::put);
  }

  private void ignoreRouters() {
    Sysctl setting = Sysctl.of("net", "ipv6", "conf", name, ACCEPT_RA);
    host.visit(
        () -> {
          try {
            if (!setting.read().equals("0")) {
              setting.write("0");
              writes++;
            }
          } catch (NetlinkException e) {
            // Without IPv6 there are no routers to ignore.
            if (!e.is(Errno.ENOENT)) {
              throw e;
            }
          }
          return setting;
        });
  }

  private void remove(List<IpPrefix> ranges) {
    Link link = links.find(name).orElse(null);
    if (link == null) {
      return;
    }
    switch (link.kind()) {
      case "vxlan" -> {
        log.write("nothing uses %s any more: removing it".formatted(name));
        perform(List.of(Links.delete(link.index())));
        links.remove(link.index());
      }
      case "ipip" -> {
        Changes changes = new Changes();
        links.addresses(link.index()).stream()
            .filter(prefix -> ranges.stream().anyMatch(range -> range.contains(prefix)))
            .forEach(
                prefix ->
                    changes.add(
                        prefix.toString(), Addresses.delete(Address.of(prefix, Device.of(link)))));
        if (!changes.requests().isEmpty()) {
          log.write(
              "nothing uses %s any more: removing its addresses (%s)"
                  .formatted(name, String.join(", ", changes.differences())));
          perform(changes.requests());
        }
      }
      default -> {
        // Another device under this name is somebody else's.
      }
    }
  }

  private void perform(List<NetlinkRequest> requests) {
    writes += requests.size();
    net.perform(requests);
  }

  private void report(String what) {
    if (!what.equals(problem)) {
      log.write(what);
    }
    problem = what;
  }

  /** Why the device is not as desired; empty when it is. */
  Optional<String> problem() {
    return problem == null
            && desired.tunnel(name).orElse(null) instanceof DesiredTunnel.Undecided(String why)
        ? Optional.of(why)
        : Optional.ofNullable(problem);
  }

  OptionalLong next() {
    return pending.next();
  }

  long writes() {
    return writes;
  }
}
