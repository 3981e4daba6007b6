package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.IpamException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Checks that addresses still belong to a container's handle, or to the virtual machine that the
 * container's pod runs. The result of a plugin list may contain addresses from outside Calico's
 * pools: those are ignored.
 */
record HolderCheck(Ipam ipam, Datastore datastore, String network, Optional<PodReference> pod) {
  void run(String handle, List<IpAddress> expected) {
    IpamErrors.attempt(
        "failed to check addresses of handle " + handle,
        () -> {
          boolean found = false;
          for (IpAddress address : expected) {
            found |= isHeld(handle, address);
          }
          if (!found) {
            throw drift("handle %s has none of the addresses %s".formatted(handle, expected));
          }
          return found;
        });
  }

  private boolean isHeld(String handle, IpAddress address) {
    Optional<AddressInfo> info = info(address);
    if (info.isPresent()) {
      if (!Objects.equals(info.get().handle(), handle) && !isOfMachine(info.get())) {
        throw drift(
            "address %s belongs to handle %s, not to %s"
                .formatted(address, info.get().handle(), handle));
      }
      return true;
    }
    if (isOfPool(address)) {
      throw drift("address %s is not assigned to handle %s any more".formatted(address, handle));
    }
    return false;
  }

  private boolean isOfMachine(AddressInfo info) {
    return pod.isPresent()
        && Stream.of(info.owner(), info.alternate())
            .filter(pod.get()::isRecordedIn)
            .flatMap(owner -> Stream.ofNullable(owner.get(CalicoConventions.INSTANCE_NAME)))
            .anyMatch(name -> VmPod.handle(network, pod.get(), name).equals(info.handle()));
  }

  private Optional<AddressInfo> info(IpAddress address) {
    try {
      return Optional.of(ipam.info(address));
    } catch (IpamException e) {
      if (e.reason() == IpamException.Reason.NOT_ASSIGNED) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private boolean isOfPool(IpAddress address) {
    return datastore.list(ResourceQuery.of(Kind.IP_POOL)).items().stream()
        .anyMatch(pool -> contains(pool, address));
  }

  private static boolean contains(Resource pool, IpAddress address) {
    try {
      return IpPool.of(pool).cidr().contains(address);
    } catch (CorruptException _) {
      return false;
    }
  }

  private static CniException drift(String what) {
    return new CniException(
        ErrorCode.INTERNAL,
        what,
        "the datastore and the container do not agree: delete the container");
  }
}
