package io.ocicat.plugins.calicoipam;

import static io.ocicat.plugins.calicoipam.MachineScenarios.ips;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.plugins.AtOnce;
import io.ocicat.plugins.Ran;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** What is released with a pod, with an instance, with the machine, and by GC. */
interface MachineEndScenarios extends MachineScenarios {
  @Test
  default void addressesGoWithTheMachineAndItsLastPod() {
    started(FIRST);
    moved(NEXT);
    kubevirt().endMachine("vm");

    pod(FIRST).del().ok();
    assertThat(only().owner()).containsEntry("pod", NEXT);
    pod(NEXT).del().ok();

    assertThat(cluster().assigned()).isEmpty();
    assertThat(cluster().handles()).isEmpty();
    pod(NEXT).del().ok();
  }

  @Test
  default void thatAnInstanceEndsIsNotTheEndOfItsMachine() {
    started(FIRST);
    kubevirt().endInstance("vm");

    pod(FIRST).del().ok();

    assertThat(only().owner()).isEmpty();
  }

  @Test
  default void anInstanceWithoutAMachineCountsForItself() {
    kubevirt().removeMachine("vm");
    kubevirt().instance("vm", false);
    List<String> address = ips(started(FIRST));
    assertThat(only().owner()).doesNotContainKey("vm-uid");
    pod(FIRST).del().ok();
    assertThat(ips(started(NEXT))).isEqualTo(address);

    kubevirt().endInstance("vm");
    pod(NEXT).del().ok();

    assertThat(cluster().assigned()).isEmpty();
  }

  @Test
  default void aPodThatOutlivesItsMachineTakesTheAddressesWithIt() {
    started(FIRST);
    kubevirt().removeInstance("vm");
    pod(FIRST).del().ok();
    assertThat(only().owner()).as("the machine is still there").isEmpty();

    kubevirt().removeMachine("vm");
    pod(FIRST).del().ok();

    assertThat(cluster().assigned()).isEmpty();
  }

  @Test
  default void aPodOfTheInstanceBeforeTakesNothingFromTheNewOne() {
    started(FIRST);
    kubevirt().instance("vm", true);
    started(NEXT);
    AddressInfo before = only();

    pod(FIRST).del().ok();

    assertThat(only()).isEqualTo(before);
  }

  @Test
  default void aPodThatIsGoneFromTheApiIsDetachedAndTheMachineKeepsItsAddress() {
    List<String> address = ips(started(FIRST));
    kubevirt().removePod(FIRST);

    pod(FIRST).del().ok();

    assertThat(only().handle()).isEqualTo(HANDLE);
    assertThat(ips(started(NEXT))).isEqualTo(address);
  }

  @Test
  default void podsMayLeaveAtTheSameTime() {
    started(FIRST);
    moved(NEXT);
    kubevirt().endMachine("vm");

    List<Ran> left =
        AtOnce.run(
            List.<Callable<Ran>>of(
                pod(FIRST)::del, pod(NEXT)::del, pod(FIRST)::del, pod(NEXT)::del));

    left.forEach(Ran::ok);
    assertThat(cluster().assigned()).isEmpty();
    assertThat(cluster().handles()).isEmpty();
  }

  @Test
  default void whatWasGivenBeforePersistenceWasTurnedOnIsReleased() {
    persistence("Disabled");
    started(FIRST);
    cluster().datastore().delete(ResourceKey.of(Kind.IPAM_CONFIGURATION, "default"), null);
    persistence("Enabled");
    kubevirt().removePod(FIRST);

    pod(FIRST).del().ok();

    assertThat(cluster().assigned()).isEmpty();
  }

  @Test
  default void gcKeepsWhatIsAMachines() {
    started(FIRST);
    String name = "m".repeat(120);
    kubevirt().start(name);
    String pod = "virt-launcher-%s-ccccc".formatted(name);
    kubevirt().pod(pod, name);
    pod(pod).add().ok();

    for (String network : List.of("net1", "net1.vmi", "net1.vmi.shop")) {
      cluster()
          .net("", "\"cni.dev/valid-attachments\":[]", "\"name\":\"%s\"".formatted(network))
          .gc()
          .ok();
    }
    assertThat(cluster().assigned()).hasSize(2);
    pod(FIRST).del().ok();
    cluster().net("", "\"cni.dev/valid-attachments\":[]").gc().ok();

    assertThat(cluster().assigned()).hasSize(2);
  }
}
