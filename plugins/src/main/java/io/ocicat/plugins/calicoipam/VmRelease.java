package io.ocicat.plugins.calicoipam;

import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.VmAddressOwnership;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.ReleaseRequest;
import io.ocicat.plugins.calicolog.CalicoLog;
import java.util.List;
import java.util.Optional;

/**
 * Releases addresses in DEL of a pod that runs a virtual machine: the machine keeps them, whether
 * it continues elsewhere or stops, until it is deleted and its last pod is gone.
 */
record VmRelease(Ipam ipam, VmLookup lookup, String network, CalicoLog log) {
  void of(PodReference pod) {
    Optional<String> instance = lookup.instanceOf(pod);
    if (instance.isPresent()) {
      String handle = VmPod.handle(network, pod, instance.get());
      List<ReleaseRequest> kept = removePod(pod, handle);
      if (!kept.isEmpty() && lookup.isDeleted(pod, instance.get())) {
        release(kept, handle);
      }
    }
  }

  /** What nobody has any more. */
  private List<ReleaseRequest> removePod(PodReference pod, String handle) {
    return IpamErrors.attempt(
        "failed to remove %s from the addresses of handle %s".formatted(pod, handle),
        () -> {
          VmAddressOwnership machine = new VmAddressOwnership(ipam, handle);
          machine.removePod(pod.namespace(), pod.name());
          return machine.unowned();
        });
  }

  /** A new machine may have the same name: addresses given to a pod of that one are its own. */
  private void release(List<ReleaseRequest> kept, String handle) {
    IpamErrors.attempt(
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
