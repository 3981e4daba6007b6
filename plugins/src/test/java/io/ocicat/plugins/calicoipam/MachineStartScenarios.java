package io.ocicat.plugins.calicoipam;

import static io.ocicat.plugins.calicoipam.MachineScenarios.ips;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.plugins.AtOnce;
import io.ocicat.plugins.Kubevirt;
import io.ocicat.plugins.Ran;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The addresses of a machine when a pod is to run it. */
interface MachineStartScenarios extends MachineScenarios {
  @Test
  default void theDatastoreTellsOfTheMachineAsCalicoTellsIt() {
    JsonNode result = started(FIRST);

    AddressInfo info = only();
    assertThat(info.handle()).isEqualTo(HANDLE);
    assertThat(info.owner())
        .containsOnlyKeys("node", "timestamp", "pod", "namespace", "vmi-name", "vmi-uid", "vm-uid")
        .containsEntry("pod", FIRST)
        .containsEntry("vmi-name", "vm")
        .containsEntry("vmi-uid", kubevirt().instanceUid("vm"))
        .containsEntry("vm-uid", kubevirt().machineUid("vm"));
    assertThat(info.alternate()).isEmpty();
    assertThat(result.path("routes")).hasSize(1);
    assertThat(cluster().handles()).containsExactly(HANDLE);
  }

  @Test
  default void aMachineKeepsItsAddressFromPodToPod() {
    List<String> address = ips(started(FIRST));
    pod(FIRST).del().ok();
    assertThat(only().owner()).as("kept for the machine, had by nobody").isEmpty();

    JsonNode again = started(NEXT);

    assertThat(ips(again)).isEqualTo(address);
    assertThat(again.at("/ips/0/address").asString()).endsWith("/32");
    assertThat(again.at("/routes/0/dst").asString()).endsWith("/32");
    assertThat(only().owner()).containsEntry("pod", NEXT);
  }

  @Test
  default void anInstanceMadeAnewHasTheAddressOfTheOneBefore() {
    List<String> address = ips(started(FIRST));
    pod(FIRST).del().ok();
    kubevirt().instance("vm", true);

    assertThat(ips(started(NEXT))).isEqualTo(address);
    assertThat(only().owner()).containsEntry("vmi-uid", kubevirt().instanceUid("vm"));
  }

  @Test
  default void addAgainIsTheSameAgain() {
    JsonNode first = started(FIRST);
    AddressInfo before = only();

    JsonNode again = pod(FIRST).add().ok();

    assertThat(ips(again)).isEqualTo(ips(first));
    assertThat(again.path("routes")).hasSize(1);
    assertThat(only()).isEqualTo(before);
    moved(NEXT);
    AddressInfo both = only();
    assertThat(pod(NEXT).add().ok().path("routes")).isEmpty();
    assertThat(pod(FIRST).add().ok().path("routes")).hasSize(1);
    assertThat(only()).isEqualTo(both);
  }

  @Test
  default void podsThatComeAtTheSameTimeShareOneAddress() {
    List<Callable<Ran>> adds =
        List.of("aaaaa", "bbbbb", "ccccc", "ddddd").stream()
            .map(suffix -> "virt-launcher-vm-" + suffix)
            .peek(name -> kubevirt().pod(name, "vm"))
            .<Callable<Ran>>map(name -> pod(name)::add)
            .toList();

    List<String> addresses =
        AtOnce.run(adds).stream().flatMap(ran -> ips(ran.ok()).stream()).distinct().toList();

    assertThat(addresses).hasSize(1);
    assertThat(cluster().addresses()).isEqualTo(addresses);
  }

  @Test
  default void aMissingInstanceFailsAddAndNothingIsAssigned() {
    kubevirt().pod(FIRST, "vm");
    kubevirt().removeInstance("vm");

    CniException error = pod(FIRST).add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(error.msg())
        .isEqualTo(
            "VirtualMachineInstance shop/vm, which pod shop/%s is to run, does not exist"
                .formatted(FIRST));
    assertThat(cluster().assigned()).isEmpty();
    pod(FIRST).del().ok();
  }

  @Test
  default void whatIsAnotherOneByNowOrGoneFailsAdd() {
    kubevirt().pod(FIRST, "vm");
    kubevirt().instance("vm", true);
    assertThat(pod(FIRST).add().error().msg()).contains("is another one than pod shop/" + FIRST);

    kubevirt().pod(NEXT, "vm");
    kubevirt().removeMachine("vm");
    assertThat(pod(NEXT).add().error().msg())
        .contains("VirtualMachine shop/vm, to which", "does not exist");

    assertThat(pod("virt-launcher-vm-ghost").add().error().msg())
        .isEqualTo("pod shop/virt-launcher-vm-ghost does not exist");
    assertThat(cluster().assigned()).isEmpty();
  }

  @Test
  default void brokenObjectsAreToldAndHarmNobody() {
    ObjectNode nameless = kubevirt().launcher(FIRST, "vm");
    ((ObjectNode) nameless.at("/metadata/ownerReferences/0")).remove("uid");
    server().pod(nameless);
    assertThat(pod(FIRST).add().error().msg())
        .contains("belongs to a VirtualMachineInstance without name or uid");

    ObjectNode odd = kubevirt().launcher(NEXT, "vm");
    odd.withObject("/metadata").putArray("ownerReferences").add(7).addObject().put("kind", 7);
    server().pod(odd);
    pod(NEXT).add().ok();
    assertThat(only().handle()).as("of no machine").isEqualTo("net1.bbbbb");

    pod(FIRST).del().ok();
    pod(NEXT).del().ok();
    assertThat(cluster().assigned()).isEmpty();
  }

  @Test
  default void whereNobodyKnowsMachinesAddTellsAndDelGoesOnLater() {
    started(FIRST);
    server()
        .remove(
            "customresourcedefinitions.apiextensions.k8s.io",
            "virtualmachineinstances.kubevirt.io");

    CniException error = pod(FIRST).add().error();
    assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(error.msg()).contains("does not know virtualmachineinstances.kubevirt.io");
    assertThat(pod(FIRST).del().error().code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(only().handle()).isEqualTo(HANDLE);

    Kubevirt.install(server(), "shop");
    pod(FIRST).del().ok();
  }

  @Test
  default void theSettingOfTheCommandCounts() {
    io.ocicat.ipam.Ipam library = library();
    library.configure(new io.ocicat.datastore.model.IpamConfig(false, true, 0, false));

    started(FIRST);

    assertThat(only().handle()).isEqualTo("net1.aaaaa");
  }

  @Test
  default void longNamesAreCutAndWorkTheSame() {
    String name = "m".repeat(120);
    kubevirt().start(name);
    String pod = "virt-launcher-%s-aaaaa".formatted(name);
    kubevirt().pod(pod, name);

    List<String> address = ips(pod(pod).add().ok());

    assertThat(only().handle()).startsWith("net1.vmi._").hasSize("net1.vmi._".length() + 43);
    pod(pod).del().ok();
    assertThat(ips(pod(pod).add().ok())).isEqualTo(address);
    kubevirt().endMachine(name);
    pod(pod).del().ok();
    assertThat(cluster().assigned()).isEmpty();
    assertThat(cluster().handles()).isEmpty();
  }

  @Test
  default void aPodThatIsOnlyCalledSoIsOneLikeOthers() {
    ObjectNode plain = kubevirt().launcher(FIRST, "vm");
    ((ObjectNode) plain.at("/metadata/ownerReferences/0")).put("kind", "ReplicaSet");
    server().pod(plain);

    pod(FIRST).add().ok();

    assertThat(only().handle()).isEqualTo("net1.aaaaa");
    pod(FIRST).del().ok();
    assertThat(cluster().assigned()).isEmpty();
  }
}
