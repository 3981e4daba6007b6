package io.ocicat.plugins.calicoipam;

import static io.ocicat.plugins.calicoipam.MachineScenarios.ips;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ipam.VmAddressOwnership;
import io.ocicat.plugins.Ipam;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A machine that migrates from one pod to another, while both exist. */
interface MachineMoveScenarios extends MachineScenarios {
  @Test
  default void aMachineMovesWithItsAddress() {
    List<String> address = ips(started(FIRST));

    JsonNode arrived = moved(NEXT);

    assertThat(ips(arrived)).isEqualTo(address);
    assertThat(arrived.path("routes")).as("the machine is still elsewhere").isEmpty();
    assertThat(only().owner()).containsEntry("pod", FIRST).doesNotContainKey("vmim-uid");
    assertThat(only().alternate())
        .containsEntry("pod", NEXT)
        .containsEntry("vmi-name", "vm")
        .containsEntry("vmim-uid", "vmim-" + NEXT);

    pod(FIRST).del().ok();

    assertThat(only().owner()).containsEntry("pod", NEXT);
    assertThat(only().alternate()).isEmpty();
    pod(NEXT).del().ok();
    assertThat(ips(started("virt-launcher-vm-ccccc"))).isEqualTo(address);
  }

  @Test
  default void whereFelixHasPromotedTheTargetTheSourceLeavesNothingBehind() {
    started(FIRST);
    moved(NEXT);
    new VmAddressOwnership(library(), HANDLE).promote("shop", NEXT);

    assertThat(pod(NEXT).add().ok().path("routes")).as("it is here now").hasSize(1);
    pod(FIRST).del().ok();

    assertThat(only().owner()).containsEntry("pod", NEXT);
    assertThat(only().alternate()).isEmpty();
  }

  @Test
  default void aMoveThatFailsLeavesTheMachineWhereItIs() {
    List<String> address = ips(started(FIRST));
    moved(NEXT);

    pod(NEXT).del().ok();

    assertThat(only().owner()).containsEntry("pod", FIRST);
    assertThat(only().alternate()).isEmpty();
    assertThat(ips(moved("virt-launcher-vm-ccccc"))).as("the next move").isEqualTo(address);
  }

  @Test
  default void theNextTargetTakesThePlaceOfOneThatNeverLeft() {
    started(FIRST);
    moved(NEXT);

    moved("virt-launcher-vm-ccccc");
    pod(NEXT).del().ok();

    assertThat(only().owner()).containsEntry("pod", FIRST);
    assertThat(only().alternate()).containsEntry("pod", "virt-launcher-vm-ccccc");
  }

  @Test
  default void aMachineWithoutAddressCannotMove() {
    kubevirt().target(NEXT, "vm");

    CniException error = pod(NEXT).add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(error.msg())
        .isEqualTo(
            "virtual machine shop/vm is to move to pod shop/%s, but handle %s has no address"
                .formatted(NEXT, HANDLE));
    assertThat(cluster().assigned()).isEmpty();
    assertThat(cluster().handles()).isEmpty();
  }

  @Test
  default void withoutPersistenceAMachineIsAPodLikeOthersAndCannotMove() {
    persistence("Disabled");

    started(FIRST);

    assertThat(only().handle()).isEqualTo("net1.aaaaa");
    assertThat(only().owner()).containsOnlyKeys("node", "timestamp", "pod", "namespace");
    kubevirt().target(NEXT, "vm");
    CniException error = pod(NEXT).add().error();
    assertThat(error.msg()).contains("cannot move", "kubeVirtVMAddressPersistence is Disabled");
    assertThat(error.details()).contains("--kubevirt-ip-persistence Enabled");
    pod(NEXT).del().ok();
    pod(FIRST).del().ok();
    assertThat(cluster().assigned()).isEmpty();
  }

  @Test
  default void checkKnowsBothPodsOfAMachineThatMoves() {
    JsonNode here = started(FIRST);
    JsonNode there = moved(NEXT);

    checking(FIRST, here).check().ok();
    checking(NEXT, there).check().ok();
    pod(NEXT).del().ok();

    assertThat(checking(NEXT, there).check().error().msg())
        .contains("belongs to handle " + HANDLE, "not to net1.bbbbb");
  }

  private Ipam checking(String pod, JsonNode result) {
    Ipam call = pod(pod);
    return call.withConfig(cluster().config("1.1.0", "", "\"prevResult\":" + result));
  }
}
