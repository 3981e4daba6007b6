package io.ocicat.cli.ipam;

import io.ocicat.base.BootId;
import io.ocicat.cli.check.ExpectedAttachment;
import io.ocicat.cli.check.ExpectedAttachments;
import io.ocicat.cli.check.HostLocalLeases;
import io.ocicat.cni.CniException;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.daemon.info.CallSelection;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.plugins.hostlocal.Lease;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Addresses of this machine that Calico's IPAM does not know: those that host-local has leased to
 * containers (including flannel's), those of attachments in our records or libcni's cache, and
 * those of interfaces.
 *
 * @param kernel the addresses of all interfaces
 * @param obstacles why something could not be read
 */
record LocalAddresses(
    ExpectedAttachments expectedAttachments,
    List<Lease> leases,
    Set<IpAddress> kernel,
    List<String> obstacles) {
  LocalAddresses {
    leases = List.copyOf(leases);
    kernel = Set.copyOf(kernel);
    obstacles = List.copyOf(obstacles);
  }

  static LocalAddresses of(
      Map<String, String> environment,
      Path confDirectory,
      Path cache,
      Supplier<Set<IpAddress>> interfaces) {
    Cni cni = Cni.builder().confDirectory(confDirectory).cacheDirectory(cache).build();
    DaemonState state = new DaemonState(StateFolders.of(environment), BootId.current());
    ExpectedAttachments expectedAttachments = ExpectedAttachments.of(state, cni);
    List<String> obstacles = new ArrayList<>(expectedAttachments.obstacles());
    List<Lease> leases = List.of();
    try {
      leases = HostLocalLeases.of(cni, expectedAttachments, Path.of("/"));
    } catch (CniException e) {
      obstacles.add(String.valueOf(e.getMessage()));
    }
    Set<IpAddress> kernel = Set.of();
    try {
      kernel = interfaces.get();
    } catch (NetlinkException e) {
      obstacles.add(e.getMessage());
    }
    return new LocalAddresses(expectedAttachments, leases, kernel, obstacles);
  }

  /** Descriptions of those who have an address. */
  List<String> holdersOf(IpAddress address) {
    List<String> holders = new ArrayList<>();
    for (ExpectedAttachment expected : expectedAttachments.having(address)) {
      holders.add(
          "Attachment(%s on network %s%s)"
              .formatted(
                  expected.name(expectedAttachments.shortIds()),
                  expected.network(),
                  expected.netnsIsThere() ? "" : ", whose namespace is gone"));
    }
    for (Lease lease : leases) {
      if (lease.address().equals(address)) {
        holders.add(
            "Lease(host-local, network %s, container %s/%s)"
                .formatted(
                    lease.network(),
                    expectedAttachments.shortIds().of(lease.holder().containerId()),
                    lease.holder().ifName()));
      }
    }
    if (kernel.contains(address) && expectedAttachments.having(address).isEmpty()) {
      holders.add("Interface(in a network namespace of this machine)");
    }
    return holders;
  }

  /** The addresses of a pod or container, which may be leased only. */
  Set<IpAddress> addressesOf(String about) {
    Set<IpAddress> addresses = new LinkedHashSet<>();
    for (ExpectedAttachment expected : expectedAttachments.all()) {
      if (CallSelection.isAbout(about, expected.key().containerId(), expected.pod())) {
        expected.addresses().stream().map(IpPrefix::address).forEach(addresses::add);
      }
    }
    for (Lease lease : leases) {
      if (lease.holder().containerId().startsWith(about)) {
        addresses.add(lease.address());
      }
    }
    return addresses;
  }
}
