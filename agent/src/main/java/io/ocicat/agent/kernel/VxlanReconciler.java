package io.ocicat.agent.kernel;

import io.ocicat.agent.desired.DesiredNetwork;
import io.ocicat.agent.desired.VxlanDevice;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind.Vxlan;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.link.VxlanOption;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
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
 * Keeps the VXLAN device of one family as desired. What can be changed in place is: MAC address,
 * MTU, local address, parent, addresses, up. Only another VNI, UDP port or kind of device makes it
 * necessary to create it again, which loses its routes and entries for a moment. For one thread.
 */
final class VxlanReconciler {
  private final IpFamily family;
  private final NetlinkSocket net;
  private final LinkTable links;
  private final DesiredNetwork desired;
  private final RepairLog log;

  /** One key, for the device as a whole. */
  private final PendingKeys<IpFamily> pending;

  private @Nullable VxlanDevice applied;
  private @Nullable String problem;
  private long writes;

  VxlanReconciler(
      IpFamily family,
      NetlinkSocket net,
      LinkTable links,
      DesiredNetwork desired,
      RepairLog log,
      LongSupplier nanoTime) {
    this.family = family;
    this.net = net;
    this.links = links;
    this.desired = desired;
    this.log = log;
    this.pending = new PendingKeys<>(nanoTime);
  }

  String name() {
    return VxlanDevice.name(family);
  }

  /** The links were read again. */
  void resync() {
    pending.now(family);
  }

  /** The kernel reports the device, its parent, or one of its addresses. */
  void changed() {
    pending.soon(family);
  }

  void apply() {
    Optional<VxlanDevice> wanted = desired.vxlan(family);
    if (!Objects.equals(wanted.orElse(null), applied)) {
      pending.now(family);
    }
    if (pending.take().isEmpty()) {
      return;
    }
    try {
      if (wanted.isPresent()) {
        ensure(wanted.get());
        applied = wanted.get();
      } else if (!desired.usesVxlan(family)) {
        remove();
        applied = null;
      }
      // Otherwise VXLAN is in use, and something is missing here: what exists stays as it is.
      problem = null;
      pending.succeeded(family);
    } catch (NetlinkException e) {
      report(String.valueOf(e.getMessage()));
      pending.retry(family);
    }
  }

  private void ensure(VxlanDevice wanted) {
    Link parent =
        links
            .find(wanted.parent())
            .orElseThrow(
                () ->
                    new NetlinkException(
                        "create " + wanted.name(),
                        Errno.ENODEV,
                        "its parent %s does not exist".formatted(wanted.parent())));
    Link link = links.find(wanted.name()).orElse(null);
    if (link != null && mustBeReplaced(link, wanted)) {
      log.write(
          "%s is %s, wanted is %s: creating it again"
              .formatted(name(), link.options(), kind(wanted, parent)));
      perform(List.of(Links.delete(link.index())));
      links.remove(link.index());
      link = null;
    }
    if (link == null) {
      create(wanted, parent);
    } else {
      adjust(link, wanted, parent);
    }
  }

  private static Vxlan kind(VxlanDevice wanted, Link parent) {
    return new Vxlan(wanted.vni())
        .withLocal(wanted.local())
        .withParent(parent.index())
        .withPort(wanted.port())
        .with(VxlanOption.LEARNING, false);
  }

  private static boolean mustBeReplaced(Link link, VxlanDevice wanted) {
    Vxlan there = link.as(Vxlan.class).orElse(null);
    return there == null
        || there.id() != wanted.vni()
        || there.port() != wanted.port()
        || there.gbp();
  }

  private void create(VxlanDevice wanted, Link parent) {
    if (applied != null) {
      log.write("%s was removed by somebody else: creating it again".formatted(name()));
    }
    Link made =
        Links.create(
            net,
            LinkSettings.named(name()).mac(wanted.mac()).mtu(wanted.mtu()),
            kind(wanted, parent));
    writes++;
    links.put(made);
    List<NetlinkRequest> rest = new ArrayList<>();
    rest.add(Addresses.replace(address(made, wanted)));
    rest.add(Links.up(made.index()));
    perform(rest);
    refresh(made.index());
  }

  private static Address address(Link link, VxlanDevice wanted) {
    Address address = Address.of(IpPrefix.host(wanted.tunnelAddress()), Device.of(link));
    return wanted.family() == IpFamily.V6 ? address.nodad() : address;
  }

  private void adjust(Link link, VxlanDevice wanted, Link parent) {
    List<NetlinkRequest> requests = new ArrayList<>();
    List<String> differences = new ArrayList<>();
    Vxlan there = link.as(Vxlan.class).orElseThrow();
    if (!Objects.equals(wanted.local(), there.local())
        || there.parent() != parent.index()
        || there.is(VxlanOption.LEARNING)) {
      differences.add(
          "local %s dev %s learning %s"
              .formatted(
                  String.valueOf(there.local()),
                  links.name(there.parent()),
                  there.is(VxlanOption.LEARNING)));
      requests.add(Links.configure(link.index(), kind(wanted, parent)));
    }
    if (!wanted.mac().equals(link.mac())) {
      differences.add("MAC address " + link.mac());
      requests.add(Links.setMac(link.index(), wanted.mac()));
    }
    if (wanted.mtu() != link.mtu()) {
      differences.add("MTU " + link.mtu());
      requests.add(Links.setMtu(link.index(), wanted.mtu()));
    }
    adjustAddresses(link, wanted, requests, differences);
    if (!link.isUp()) {
      differences.add("down");
      requests.add(Links.up(link.index()));
    }
    if (!requests.isEmpty()) {
      if (wanted.equals(applied)) {
        log.write(
            "%s was changed by somebody else (%s): restored"
                .formatted(name(), String.join(", ", differences)));
      }
      perform(requests);
      refresh(link.index());
    }
  }

  private void adjustAddresses(
      Link link, VxlanDevice wanted, List<NetlinkRequest> requests, List<String> differences) {
    IpPrefix only = IpPrefix.host(wanted.tunnelAddress());
    List<IpPrefix> there =
        links.addresses(link.index()).stream()
            .filter(prefix -> IpFamily.of(prefix.address()) == family)
            .filter(prefix -> !prefix.address().isLinkLocal())
            .toList();
    if (!there.contains(only)) {
      differences.add("without address " + only);
      requests.add(Addresses.replace(address(link, wanted)));
    }
    there.stream()
        .filter(prefix -> !prefix.equals(only))
        .forEach(
            prefix -> {
              differences.add("address " + prefix);
              requests.add(Addresses.delete(Address.of(prefix, Device.of(link))));
            });
  }

  /** Reads the device back: routes need it up at once, before the kernel's report arrives. */
  private void refresh(int index) {
    net.find(Links.byIndex(index)).ifPresent(links::put);
    net.list(Addresses.list(Device.of(index))).forEach(links::put);
  }

  private void remove() {
    Link link = links.find(name()).filter(it -> it.kind().equals("vxlan")).orElse(null);
    if (link != null) {
      log.write("no pool uses VXLAN for %s any more: removing %s".formatted(family, name()));
      perform(List.of(Links.delete(link.index())));
      links.remove(link.index());
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
    if (problem == null && desired.usesVxlan(family) && desired.vxlan(family).isEmpty()) {
      return Optional.of(
          "%s cannot be made yet: the node has no %s address on a link, or no tunnel address"
              .formatted(name(), family));
    }
    return Optional.ofNullable(problem);
  }

  OptionalLong next() {
    return pending.next();
  }

  long writes() {
    return writes;
  }
}
