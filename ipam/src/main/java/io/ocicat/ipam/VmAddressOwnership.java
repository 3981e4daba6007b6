package io.ocicat.ipam;

import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.block.AddressLookup;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.OwnerAttributeChange;
import io.ocicat.ipam.model.ReleaseRequest;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of one virtual machine and the pods that own them. The addresses belong to the
 * machine's handle, whichever pod runs it: one pod is their owner, and during a live migration the
 * target pod is the alternate owner. Each change of owners is one write, conditional on the owners
 * it was based on.
 */
public record VmAddressOwnership(Ipam ipam, String handle) {
  private static final int ATTEMPTS = 10;

  /** The role of a pod for an address. */
  public enum Role {
    OWNER,
    ALTERNATE
  }

  /** Returns the machine's addresses, IPv4 first. */
  public List<IpAddress> all() {
    try {
      return ipam.addressesOf(handle).stream()
          .sorted(Comparator.comparing(IpAddress::isV6))
          .toList();
    } catch (IpamException e) {
      if (e.reason() == IpamException.Reason.NO_SUCH_HANDLE) {
        return List.of();
      }
      throw e;
    }
  }

  /**
   * Records a pod as owner or alternate owner. A pod that is recorded already keeps its role: it
   * may have become the owner since it was the alternate.
   *
   * @param pod the pod's attributes, as in {@link CalicoConventions}
   * @param role the role to record it in; replaces the pod that had this role
   * @return the role the pod has
   * @throws IpamException with NOT_ASSIGNED or BAD_HANDLE when the address is not the machine's
   */
  public Role recordPod(IpAddress address, Map<String, String> pod, Role role) {
    OwnerAttributeChange.Expected one = OwnerAttributeChange.Expected.of(pod);
    AddressInfo info = ipam.info(address);
    if (one.holds(info.owner())) {
      return Role.OWNER;
    }
    if (one.holds(info.alternate())) {
      return Role.ALTERNATE;
    }
    ipam.changeOwner(
        address,
        handle,
        role == Role.OWNER
            ? new OwnerAttributeChange(pod, null, null, null)
            : new OwnerAttributeChange(null, pod, null, null));
    return role;
  }

  /**
   * Removes a pod from all addresses. Where it was the owner, the alternate becomes the owner: the
   * machine has arrived there, or runs nowhere.
   */
  public void removePod(String namespace, String pod) {
    OwnerAttributeChange.Expected one = new OwnerAttributeChange.Expected(namespace, pod);
    for (IpAddress address : all()) {
      update(address, info -> departure(info, one));
    }
  }

  private static Optional<OwnerAttributeChange> departure(
      AddressInfo info, OwnerAttributeChange.Expected one) {
    boolean owns = one.holds(info.owner());
    boolean waits = one.holds(info.alternate());
    if (!owns && !waits) {
      return Optional.empty();
    }
    if (!owns) {
      return Optional.of(new OwnerAttributeChange(null, Map.of(), null, one));
    }
    return Optional.of(
        new OwnerAttributeChange(
            waits ? Map.of() : info.alternate(), Map.of(), one, same(info.alternate())));
  }

  /**
   * Completes a migration: the target pod becomes the owner and the previous owner becomes the
   * alternate. Does nothing where that is already so.
   *
   * @throws IpamException with NO_SUCH_HANDLE, or with BAD_OWNER when the machine was not migrating
   *     to this pod
   */
  public void promote(String namespace, String pod) {
    OwnerAttributeChange.Expected one = new OwnerAttributeChange.Expected(namespace, pod);
    List<IpAddress> addresses = all();
    if (addresses.isEmpty()) {
      throw AddressLookup.noSuchHandle(handle);
    }
    for (IpAddress address : addresses) {
      update(address, info -> promotion(info, one));
    }
  }

  private static Optional<OwnerAttributeChange> promotion(
      AddressInfo info, OwnerAttributeChange.Expected one) {
    if (one.holds(info.owner())) {
      return Optional.empty();
    }
    if (!one.holds(info.alternate())) {
      throw new IpamException(
          IpamException.Reason.BAD_OWNER,
          "%s is not about to move to %s: the alternate owner is %s"
              .formatted(info.address(), one, OwnerAttributeChange.Expected.of(info.alternate())));
    }
    return Optional.of(
        new OwnerAttributeChange(info.alternate(), info.owner(), same(info.owner()), one));
  }

  /**
   * Returns release requests for all addresses, each conditional on no pod getting the address;
   * empty when any pod owns one or is about to.
   */
  public List<ReleaseRequest> unowned() {
    List<AddressInfo> infos = all().stream().flatMap(address -> info(address).stream()).toList();
    return infos.stream().allMatch(info -> info.owner().isEmpty() && info.alternate().isEmpty())
        ? infos.stream().map(ReleaseRequest::of).toList()
        : List.of();
  }

  /** Applies a change of owners, and decides again when the owners have changed concurrently. */
  private void update(
      IpAddress address, Function<AddressInfo, Optional<OwnerAttributeChange>> decision) {
    for (int i = 1; ; i++) {
      Optional<OwnerAttributeChange> change = info(address).flatMap(decision);
      if (change.isEmpty()) {
        return;
      }
      try {
        ipam.changeOwner(address, handle, change.get());
        return;
      } catch (IpamException e) {
        if (!isGone(e) && (e.reason() != IpamException.Reason.BAD_OWNER || i == ATTEMPTS)) {
          throw e;
        }
      }
    }
  }

  /** Returns the owners of the address; empty when the machine no longer has it. */
  private Optional<AddressInfo> info(IpAddress address) {
    try {
      return Optional.of(ipam.info(address)).filter(info -> handle.equals(info.handle()));
    } catch (IpamException e) {
      if (isGone(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static boolean isGone(IpamException e) {
    return e.reason() == IpamException.Reason.NOT_ASSIGNED
        || e.reason() == IpamException.Reason.BAD_HANDLE;
  }

  /**
   * Expects the same owner; null, which matches anything, when the attributes do not identify one.
   */
  private static OwnerAttributeChange.@Nullable Expected same(Map<String, String> noted) {
    OwnerAttributeChange.Expected one = OwnerAttributeChange.Expected.of(noted);
    return one.holds(noted) ? one : null;
  }
}
