package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.VmAddressOwnership;
import io.ocicat.ipam.VmAddressOwnership.Role;
import io.ocicat.ipam.model.AssignmentResult;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.ReleaseRequest;
import io.ocicat.plugins.calicocluster.HostRouting;
import io.ocicat.plugins.support.Undo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Allocates addresses in ADD of a pod that runs a virtual machine: the machine keeps the addresses
 * it already has. A machine that migrates here must have addresses; another one gets those that it
 * lacks, at most one of each family.
 */
record VmAddresses(Ipam ipam, IpamRequest request, VmPod vm) {
  /**
   * The addresses of a pod.
   *
   * @param routing whether the host gets routes to them; not while the machine still runs elsewhere
   */
  record Given(List<IpPrefix> addresses, HostRouting routing) {
    Given {
      addresses = List.copyOf(addresses);
    }
  }

  Given allocate(Optional<IpAddress> wanted) {
    // An unreadable record must never lead to a different address.
    List<IpAddress> kept =
        IpamErrors.attempt("failed to look up the addresses of " + vm, () -> machine().all());
    wanted.ifPresent(address -> refuseSecond(kept, address));
    if (vm.isMigrationTarget()) {
      List<IpAddress> moving = wanted.map(List::of).orElse(kept);
      if (moving.isEmpty() || !kept.containsAll(moving)) {
        throw new CniException(
            ErrorCode.INTERNAL,
            "%s is to move to %s, but handle %s has %s"
                .formatted(
                    vm, vm.pod(), request.handle(), kept.isEmpty() ? "no address" : "only " + kept),
            "a machine that was started while addresses were not kept cannot move: start it again");
      }
      return note(hosts(moving), Role.ALTERNATE);
    }
    if (wanted.isPresent()) {
      return note(exactly(kept, wanted.get()), Role.OWNER);
    }
    boolean v4 = request.conf().v4() && kept.stream().noneMatch(IpAddress::isV4);
    boolean v6 = request.conf().v6() && kept.stream().noneMatch(IpAddress::isV6);
    List<IpPrefix> all = hosts(kept);
    if (kept.isEmpty() || v4 || v6) {
      all.addAll(missing(v4, v6));
      all.sort(Comparator.comparing(IpPrefix::isV6));
    }
    return note(all, Role.OWNER);
  }

  private VmAddressOwnership machine() {
    return new VmAddressOwnership(ipam, request.handle());
  }

  private void refuseSecond(List<IpAddress> kept, IpAddress wanted) {
    for (IpAddress has : kept) {
      if (has.isV4() == wanted.isV4() && !has.equals(wanted)) {
        throw new CniException(
            ErrorCode.INVALID_ENVIRONMENT,
            "%s is requested as address of %s, which has %s".formatted(wanted, vm, has),
            "a machine has one address of a family: stop it, then `ocicat ipam release --force --ip %s`"
                .formatted(has));
      }
    }
  }

  private List<IpPrefix> exactly(List<IpAddress> kept, IpAddress wanted) {
    return IpamErrors.attempt(
        "failed to assign IP address " + wanted,
        () -> {
          if (!kept.contains(wanted)) {
            ipam.assign(request.exactly(wanted));
          }
          return List.of(IpPrefix.host(wanted));
        });
  }

  private List<IpPrefix> missing(boolean v4, boolean v6) {
    AutoAssignResult assigned =
        IpamErrors.attempt(
            "failed to request addresses", () -> ipam.autoAssign(request.any(v4, v6)));
    for (AssignmentResult family : assigned.all()) {
      if (!family.isComplete()) {
        try (Undo undo = new Undo()) {
          undo.onFailure(() -> giveBack(assigned.addresses()));
          throw NoAddressReason.of(ipam, family);
        }
      }
    }
    return assigned.addresses();
  }

  /**
   * Only what this pod was given just now: another pod may have got addresses for the same machine.
   */
  private void giveBack(List<IpPrefix> addresses) {
    ipam.release(
            addresses.stream()
                .map(address -> ipam.info(address.address()))
                .filter(info -> vm.pod().isRecordedIn(info.owner()))
                .map(ReleaseRequest::of)
                .toList())
        .orThrow();
  }

  private Given note(List<IpPrefix> addresses, Role side) {
    HostRouting routing = HostRouting.ROUTED;
    for (IpPrefix address : addresses) {
      Role recorded =
          IpamErrors.attempt(
              "failed to record %s at %s".formatted(vm.pod(), address.address()),
              () -> machine().recordPod(address.address(), request.attributes(), side));
      if (recorded != Role.OWNER) {
        routing = HostRouting.NOT_YET;
      }
    }
    return new Given(addresses, routing);
  }

  private static List<IpPrefix> hosts(List<IpAddress> addresses) {
    return new ArrayList<>(addresses.stream().map(IpPrefix::host).toList());
  }
}
