package io.ocicat.datastore.cluster;

import java.util.List;

/**
 * A KubeVirt VirtualMachine, or the VirtualMachineInstance that it runs as: each is an object of
 * its own, and an instance may exist without a machine.
 *
 * @param isEnding whether it is being deleted
 */
public record VirtualMachine(
    String namespace, String name, String uid, boolean isEnding, List<OwnerReference> owners) {
  /** Of machines, instances and references to them. */
  public static final String API_VERSION = "kubevirt.io/v1";

  public static final String KIND = "VirtualMachine";
  public static final String INSTANCE_KIND = "VirtualMachineInstance";

  public VirtualMachine {
    owners = List.copyOf(owners);
  }
}
