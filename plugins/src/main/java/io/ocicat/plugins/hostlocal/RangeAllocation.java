package io.ocicat.plugins.hostlocal;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.ip.IpAddress;
import io.ocicat.plugins.hostlocal.LeaseScan.Found;
import io.ocicat.plugins.hostlocal.RangeSet.Member;
import java.util.List;
import java.util.Optional;

/**
 * Allocates one address of a set of ranges to a container.
 *
 * @param number the position of the set in the configuration
 */
record RangeAllocation(Leases leases, LeaseOwner owner, RangeSet set, int number) {

  /** The requested address or, without a request, the next free one. */
  Member allocate(Optional<IpAddress> requested) {
    try {
      return requested.flatMap(set::find).map(this::lease).orElseGet(this::next);
    } catch (CniException e) {
      throw e.prefixed("failed to allocate for range %d: ".formatted(number));
    }
  }

  private Member lease(Member wanted) {
    IpAddress address = wanted.address();
    if (address.equals(wanted.range().gateway())) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "requested ip %s is subnet's gateway".formatted(address));
    }
    if (!leases.reserve(address, owner, number)) {
      throw new CniException(
              ErrorCode.INTERNAL,
              "requested IP address %s is not available in range set %s".formatted(address, set),
              leases.holderOf(address).map(holder -> "it is leased to " + holder).orElse(""))
          .because(FailureReason.ADDRESS_TAKEN);
    }
    return wanted;
  }

  /** Two ADDs without a DEL between them are an error by the specification. */
  private Member next() {
    refuseSecond(leases.heldBy(owner));
    refuseSecond(leases.heldBy(owner.legacy()));
    for (Optional<Member> free = leases.nextFree(set, number);
        free.isPresent();
        free = leases.nextFree(set, number)) {
      // Only a file that the index did not have makes this fail. Then the index has it, so the loop
      // ends.
      if (leases.reserve(free.get().address(), owner, number)) {
        return free.get();
      }
    }
    throw exhausted(set, ErrorCode.TRY_AGAIN_LATER);
  }

  private void refuseSecond(List<Found> held) {
    for (Found lease : held) {
      IpAddress address = lease.address().orElse(null);
      if (address != null && set.contains(address)) {
        throw new CniException(
                ErrorCode.INTERNAL,
                "%s has been allocated to %s, duplicate allocation is not allowed"
                    .formatted(address, owner.id()),
                "%s needs a DEL before its next ADD".formatted(owner))
            .because(FailureReason.ALREADY_ATTACHED);
      }
    }
  }

  static CniException exhausted(RangeSet set, ErrorCode code) {
    return new CniException(
            code,
            "no IP addresses available in range set: " + set,
            "all are leased or taken by a gateway; GC frees those of containers that are gone")
        .because(FailureReason.ADDRESSES_EXHAUSTED);
  }

  /** Undoes the allocation. */
  Found leaseOf(Member given) {
    return Found.of(given.address(), owner);
  }
}
