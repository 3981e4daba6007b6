package io.ocicat.plugins.calicoipam;

import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.MachineAddresses;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * DEL of a pod that runs a virtual machine: the machine keeps its addresses, whether it goes on
 * elsewhere or stops, until it is deleted itself and no pod of it is left.
 *
 * @param release of all that a handle has
 */
record GuestDeparture(Ipam ipam, Guests guests, String network, Pod pod, Consumer<String> release) {
  void run() {
    Optional<String> instance = guests.leaving(pod);
    if (instance.isPresent()) {
      String handle = Guest.handle(network, pod, instance.get());
      if (!leave(handle) && guests.isEnding(pod, instance.get())) {
        release.accept(handle);
      }
    }
  }

  /** Whether another pod still has the addresses. */
  private boolean leave(String handle) {
    return Failures.told(
        "failed to take %s from the addresses of handle %s".formatted(pod, handle),
        () -> {
          MachineAddresses machine = new MachineAddresses(ipam, handle);
          machine.leave(pod.namespace(), pod.name());
          return machine.isOwned();
        });
  }
}
