package io.ocicat.ipam.gc;

import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.CalicoConventions;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reports whether the virtual machines that addresses are kept for still exist. A machine keeps its
 * address whether a pod runs it or not, so no node can tell; only the cluster can.
 */
@FunctionalInterface
public interface VirtualMachines {
  /** For use without a cluster. */
  VirtualMachines UNKNOWN = _ -> true;

  /** Returns false only when the machine is certainly gone. */
  boolean mayExist(AddressInfo info);

  /** Reads from a cluster; a machine whose state is unknown may exist. */
  static VirtualMachines of(Supplier<Cluster> cluster) {
    return info -> {
      Set<String> machines = namedBy(info);
      return machines.isEmpty()
          || machines.stream().anyMatch(machine -> mayExist(cluster, machine));
    };
  }

  private static boolean mayExist(Supplier<Cluster> cluster, String machine) {
    int slash = machine.indexOf('/');
    String namespace = machine.substring(0, slash);
    String name = machine.substring(slash + 1);
    try {
      Cluster current = cluster.get();
      return current.virtualMachine(namespace, name).isPresent()
          || current.virtualMachineInstance(namespace, name).isPresent();
    } catch (DatastoreException _) {
      return true;
    }
  }

  /**
   * Returns the machines that an address may be kept for, as {@code namespace/name}, from its owner
   * attributes or else from its handle. Empty when neither names one.
   */
  static Set<String> namedBy(AddressInfo info) {
    Set<String> noted =
        Stream.of(info.owner(), info.alternate())
            .flatMap(VirtualMachines::noted)
            .collect(Collectors.toSet());
    return noted.isEmpty() && info.handle() != null
        ? CalicoConventions.virtualMachinesOf(info.handle())
        : noted;
  }

  private static Stream<String> noted(Map<String, String> owner) {
    String namespace = owner.getOrDefault(CalicoConventions.NAMESPACE, "");
    String name = owner.getOrDefault(CalicoConventions.INSTANCE_NAME, "");
    return namespace.isEmpty() || name.isEmpty() ? Stream.of() : Stream.of(namespace + "/" + name);
  }
}
