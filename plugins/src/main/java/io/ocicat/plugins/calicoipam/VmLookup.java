package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.cluster.OwnerReference;
import io.ocicat.datastore.cluster.VirtualMachine;
import io.ocicat.ipam.Ipam;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.calicocluster.VirtLauncher;
import io.ocicat.plugins.calicolog.CalicoLog;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Finds the virtual machine that a pod runs: a pod belongs to an instance, and that to a machine.
 * Without a configured API this is unknown, and every pod counts as an ordinary one.
 */
record VmLookup(CalicoBackend backend) {
  private static final String MIGRATION = "kubevirt.io/migrationJobUID";

  /**
   * The machine of a starting pod, if it keeps its addresses; empty when the pod runs none, or
   * machines keep no addresses here.
   *
   * @throws CniException when the pod cannot run its machine
   */
  Optional<VmPod> keeping(PodReference pod, Ipam ipam, CalicoLog log) {
    Optional<VmPod> vm = arriving(pod);
    if (vm.isEmpty() || VmAddressPersistence.isOn(backend.datastore(), ipam, log)) {
      return vm;
    }
    if (vm.get().isMigrationTarget()) {
      throw refuse(
          "%s cannot move to %s: kubeVirtVMAddressPersistence is Disabled".formatted(vm.get(), pod),
          "only a machine that keeps its address can: `ocicat ipam configure --kubevirt-ip-persistence Enabled`, then start it again");
    }
    return Optional.empty();
  }

  private Optional<VmPod> arriving(PodReference pod) {
    return ask(
        pod,
        cluster -> {
          var known =
              cluster
                  .pod(pod.namespace(), pod.name())
                  .orElseThrow(
                      () ->
                          refuse(
                              pod + " does not exist",
                              "it was deleted while it was being started"));
          String migration = known.labels().getOrDefault(MIGRATION, "");
          return owner(known.owners()).map(owner -> vm(cluster, pod, owner, migration));
        });
  }

  private static VmPod vm(
      Cluster cluster, PodReference pod, OwnerReference owner, String migration) {
    String what = "VirtualMachineInstance %s/%s".formatted(pod.namespace(), owner.name());
    if (owner.name().isEmpty() || owner.uid().isEmpty()) {
      throw refuse(
          "%s belongs to a VirtualMachineInstance without name or uid".formatted(pod),
          "its ownerReferences are broken: let KubeVirt recreate the pod");
    }
    VirtualMachine instance =
        cluster
            .virtualMachineInstance(pod.namespace(), owner.name())
            .orElseThrow(
                () ->
                    refuse(
                        "%s, which %s is to run, does not exist".formatted(what, pod),
                        "it was deleted, and the pod will be"));
    if (!instance.uid().equals(owner.uid())) {
      throw refuse(
          "%s is another one than %s is to run: its uid is \"%s\", not \"%s\""
              .formatted(what, pod, instance.uid(), owner.uid()),
          "it was deleted and recreated, and has a pod of its own");
    }
    return new VmPod(
        pod,
        owner.name(),
        instance.uid(),
        machine(instance)
            .map(
                name ->
                    cluster
                        .virtualMachine(pod.namespace(), name)
                        .orElseThrow(
                            () ->
                                refuse(
                                    "VirtualMachine %s/%s, to which %s belongs, does not exist"
                                        .formatted(pod.namespace(), name, what),
                                    "it was deleted, and the pod will be"))
                        .uid())
            .orElse(""),
        migration);
  }

  /**
   * The name of the instance of a terminating pod; empty when it runs none, or is already gone from
   * the API.
   */
  Optional<String> instanceOf(PodReference pod) {
    return ask(
        pod,
        cluster ->
            cluster
                .pod(pod.namespace(), pod.name())
                .flatMap(known -> owner(known.owners()))
                .map(OwnerReference::name)
                .filter(name -> !name.isEmpty()));
  }

  /** Whether a machine no longer needs its addresses: it is gone, or being deleted. */
  boolean isDeleted(PodReference pod, String instance) {
    return ask(
            pod,
            cluster -> {
              Optional<VirtualMachine> running =
                  cluster.virtualMachineInstance(pod.namespace(), instance);
              String machine = running.flatMap(VmLookup::machine).orElse(instance);
              return cluster
                  .virtualMachine(pod.namespace(), machine)
                  .or(() -> running)
                  .map(VirtualMachine::isEnding)
                  .or(() -> Optional.of(true));
            })
        .orElse(false);
  }

  private <T> Optional<T> ask(PodReference pod, Function<Cluster, Optional<T>> question) {
    if (!VirtLauncher.mayBe(pod.name()) || !backend.knowsAllPods()) {
      return Optional.empty();
    }
    return IpamErrors.attempt(
        "failed to get the virtual machine of " + pod, () -> question.apply(backend.cluster()));
  }

  private static Optional<OwnerReference> owner(List<OwnerReference> owners) {
    return owners.stream()
        .filter(
            owner ->
                owner.isController()
                    && owner.isOf(VirtualMachine.API_VERSION, VirtualMachine.INSTANCE_KIND))
        .findFirst();
  }

  /** The name of the machine that an instance belongs to. */
  private static Optional<String> machine(VirtualMachine instance) {
    return instance.owners().stream()
        .filter(owner -> owner.isOf(VirtualMachine.API_VERSION, VirtualMachine.KIND))
        .map(OwnerReference::name)
        .filter(name -> !name.isEmpty())
        .findFirst();
  }

  private static CniException refuse(String why, String details) {
    return new CniException(ErrorCode.INTERNAL, why, details);
  }
}
