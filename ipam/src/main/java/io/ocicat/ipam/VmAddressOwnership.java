package io.ocicat.ipam;

import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.block.AddressLookup;
import io.ocicat.ipam.model.AddressInfo;
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
 * The addresses of a virtual machine. They belong to its handle, whatever pod runs it: one pod is
 * their owner, and while the machine moves, the pod it moves to is the alternate owner. Each change
 * of owners is one write, done only if the owners are still those it was decided on.
 */
public record VmAddressOwnership(Ipam ipam, String handle) {
  private static final int ATTEMPTS = 10;

  /** What a pod is to an address. */
  public enum Side {
    OWNER,
    ALTERNATE
  }

  /** Those there are, IPv4 first. */
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
   * Notes a pod. One that is noted already stays what it is: it may have become the owner since it
   * was the alternate.
   *
   * @param pod who it is, as {@link CalicoConventions} has it
   * @param side what to note it as; who was that before is no longer
   * @return what it is
   * @throws IpamException with NOT_ASSIGNED or BAD_HANDLE when the address is not the machine's
   */
  public Side note(IpAddress address, Map<String, String> pod, Side side) {
    OwnerAttributeChange.Expected one = OwnerAttributeChange.Expected.of(pod);
    AddressInfo info = ipam.info(address);
    if (one.holds(info.owner())) {
      return Side.OWNER;
    }
    if (one.holds(info.alternate())) {
      return Side.ALTERNATE;
    }
    ipam.changeOwner(
        address,
        handle,
        side == Side.OWNER
            ? new OwnerAttributeChange(pod, null, null, null)
            : new OwnerAttributeChange(null, pod, null, null));
    return side;
  }

  /**
   * A pod has none of the addresses any more. Where it was the owner, the alternate becomes that:
   * the machine has arrived there, or is nowhere.
   */
  public void leave(String namespace, String pod) {
    OwnerAttributeChange.Expected one = new OwnerAttributeChange.Expected(namespace, pod);
    for (IpAddress address : all()) {
      settle(address, info -> departure(info, one));
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
   * The machine runs in the pod it was to move to: that one becomes the owner, and who was it
   * becomes the alternate. Where it is so already nothing is done.
   *
   * @throws IpamException with NO_SUCH_HANDLE, or with BAD_OWNER when the machine was not about to
   *     move there
   */
  public void promote(String namespace, String pod) {
    OwnerAttributeChange.Expected one = new OwnerAttributeChange.Expected(namespace, pod);
    List<IpAddress> addresses = all();
    if (addresses.isEmpty()) {
      throw AddressLookup.noSuchHandle(handle);
    }
    for (IpAddress address : addresses) {
      settle(address, info -> promotion(info, one));
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
   * All of them, to be released only as long as no pod gets one; empty when any pod has one, or is
   * about to.
   */
  public List<ReleaseRequest> unowned() {
    List<AddressInfo> infos = all().stream().flatMap(address -> info(address).stream()).toList();
    return infos.stream().allMatch(info -> info.owner().isEmpty() && info.alternate().isEmpty())
        ? infos.stream().map(ReleaseRequest::of).toList()
        : List.of();
  }

  /** Decides anew when others have changed the owners meanwhile. */
  private void settle(
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

  /** Who has it; empty when the machine has it no longer. */
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

  /** That it is still the same; anything of one that does not say who it is. */
  private static OwnerAttributeChange.@Nullable Expected same(Map<String, String> noted) {
    OwnerAttributeChange.Expected one = OwnerAttributeChange.Expected.of(noted);
    return one.holds(noted) ? one : null;
  }
}
