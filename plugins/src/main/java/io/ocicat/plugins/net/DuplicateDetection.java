package io.ocicat.plugins.net;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.AddressFlag;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import java.time.Duration;
import java.util.List;

/** Waits for IPv6 duplicate address detection, which takes a second or two. */
public final class DuplicateDetection {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private DuplicateDetection() {}

  /**
   * Waits until all of an interface's addresses can be used.
   *
   * @throws CniException when an address is a duplicate, or detection does not finish
   */
  public static void await(NetnsSockets container, Device device, Deadline deadline) {
    Deadline limit = deadline.atMost(TIMEOUT);
    try (Monitor<Address> changes = Monitor.open(container.namespace(), Addresses.CHANGES)) {
      while (isUndecided(container, device)) {
        if (limit.hasPassed() || changes.poll(limit.remaining()).isEmpty()) {
          throw new CniException(
                  ErrorCode.TRY_AGAIN_LATER,
                  "addresses of \"%s\" are still tentative".formatted(device.name()),
                  "the search for duplicates did not end in time")
              .because(FailureReason.TIMED_OUT);
        }
      }
    }
  }

  private static boolean isUndecided(NetnsSockets container, Device device) {
    List<Address> addresses = container.route().list(Addresses.list(IpFamily.V6, device));
    for (Address address : addresses) {
      if (address.has(AddressFlag.DADFAILED)) {
        throw new CniException(
                ErrorCode.INTERNAL,
                "address %s of \"%s\" is a duplicate".formatted(address.prefix(), device.name()),
                "another host on the same network already has it")
            .because(FailureReason.ADDRESS_TAKEN);
      }
    }
    return addresses.stream().anyMatch(address -> address.has(AddressFlag.TENTATIVE));
  }
}
