package io.ocicat.plugins.calicoipam;

import io.ocicat.ipam.model.CalicoConventions;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The virtual machine that a pod of KubeVirt runs.
 *
 * @param name of the instance, which is the machine's as well
 * @param uid of the instance
 * @param machineUid empty for an instance without a machine
 * @param migrationUid of the migration that moves the machine to the pod; empty when it starts
 *     there
 */
record VmPod(PodReference pod, String name, String uid, String machineUid, String migrationUid) {
  boolean isMigrationTarget() {
    return !migrationUid.isEmpty();
  }

  static String handle(String network, PodReference pod, String name) {
    return CalicoConventions.virtualMachineHandle(network, pod.namespace(), name);
  }

  String handle(String network) {
    return handle(network, pod, name);
  }

  /** The attributes recorded for the pod, in addition to those of every container. */
  Map<String, String> attributes(Map<String, String> container) {
    Map<String, String> attributes = new LinkedHashMap<>(container);
    attributes.put(CalicoConventions.INSTANCE_NAME, name);
    attributes.put(CalicoConventions.INSTANCE_UID, uid);
    if (!machineUid.isEmpty()) {
      attributes.put(CalicoConventions.MACHINE_UID, machineUid);
    }
    if (!migrationUid.isEmpty()) {
      attributes.put(CalicoConventions.MIGRATION_UID, migrationUid);
    }
    return attributes;
  }

  @Override
  public String toString() {
    return "virtual machine %s/%s".formatted(pod.namespace(), name);
  }
}
