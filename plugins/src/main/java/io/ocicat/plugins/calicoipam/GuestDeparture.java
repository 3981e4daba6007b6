package io.ocicat.plugins.calicoipam;

import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.IpamException;
import io.ocicat.ipam.MachineAddresses;
import io.ocicat.ipam.Release;
import io.ocicat.plugins.calicolog.CalicoLog;
import java.util.List;
import java.util.Optional;

/**
 * DEL of a pod that runs a virtual machine: the machine keeps its addresses, whether it goes on
 * elsewhere or stops, until it is deleted itself and no pod of it is left.
 */
record GuestDeparture(Ipam ipam, Guests guests, String network, CalicoLog log) {
  void of(Pod pod) {
    Optional<String> instance = guests.leaving(pod);
    if (instance.isPresent()) {
      String handle = Guest.handle(network, pod, instance.get());
      List<Release> kept = leave(pod, handle);
      if (!kept.isEmpty() && guests.isEnding(pod, instance.get())) {
        release(kept, handle);
      }
    }
  }

  /** What nobody has any more. */
  private List<Release> leave(Pod pod, String handle) {
    return Failures.told(
        "failed to take %s from the addresses of handle %s".formatted(pod, handle),
        () -> {
          MachineAddresses machine = new MachineAddresses(ipam, handle);
          machine.leave(pod.namespace(), pod.name());
          return machine.unowned();
        });
  }

  /** A machine of the same name may have been made since: what a pod of that has got is its own. */
  private void release(List<Release> kept, String handle) {
    Failures.told(
        "failed to release addresses of handle " + handle,
        () -> {
          for (RuntimeException refusal : ipam.release(kept).refused()) {
            if (!(refusal instanceof IpamException e)
                || e.reason() != IpamException.Reason.BAD_SEQUENCE_NUMBER) {
              throw refusal;
            }
          }
          log.debug(() -> "released %s of handle %s".formatted(kept, handle));
          return kept;
        });
  }
}
