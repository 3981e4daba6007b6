package io.ocicat.plugins.calicoipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.datastore.Kind;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.ResourceKey;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.ipam.AddressInfo;
import io.ocicat.ipam.MachineAddresses;
import io.ocicat.ipam.Sources;
import io.ocicat.plugins.AtOnce;
import io.ocicat.plugins.Ipam;
import io.ocicat.plugins.Kubevirt;
import io.ocicat.plugins.Ran;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** KubeVirt's machines keep their addresses, whatever pod runs them. */
abstract class VirtualMachineContract {
  private static final String DUAL = "\"assign_ipv4\":\"true\",\"assign_ipv6\":\"true\"";
  private static final String HANDLE = "net1.vmi.shop.vm";
  private static final String FIRST = "virt-launcher-vm-aaaaa";
  private static final String NEXT = "virt-launcher-vm-bbbbb";

  @TempDir Path files;

  @SuppressWarnings("NullAway.Init") // by reset
  private TestCluster server;

  @SuppressWarnings("NullAway.Init") // by reset
  private Cluster cluster;

  @SuppressWarnings("NullAway.Init") // by reset
  private Kubevirt kubevirt;

  /** Where addresses are; pods are always in the API. */
  abstract Cluster open(TestCluster server, Path directory);

  final Cluster cluster() {
    return cluster;
  }

  final TestCluster server() {
    return server;
  }

  @BeforeEach
  void reset() {
    server = new TestCluster(ApiGroup.V1);
    server.namespace("shop", Map.of());
    kubevirt = Kubevirt.install(server, "shop");
    cluster = open(server, files);
    cluster.reset();
    cluster.pool("blue", "10.65.0.0/26");
    kubevirt.start("vm");
  }

  @AfterEach
  void close() {
    cluster.close();
    server.close();
  }

  final Ipam pod(String name) {
    return pod(name, "");
  }

  /** Each pod has a container, which is called as the pod's last letters. */
  private Ipam pod(String name, String ipam) {
    return cluster
        .net(ipam)
        .container(name.substring(name.lastIndexOf('-') + 1))
        .with("CNI_ARGS", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=" + name);
  }

  private Ipam asking(Ipam pod, String address) {
    return pod.with("CNI_ARGS", pod.variables().get("CNI_ARGS") + ";IP=" + address);
  }

  /** A pod that the machine starts in, attached. */
  private JsonNode started(String name) {
    kubevirt.pod(name, "vm");
    return pod(name).add().ok();
  }

  private JsonNode moved(String name) {
    kubevirt.target(name, "vm");
    return pod(name).add().ok();
  }

  private static List<String> ips(JsonNode result) {
    return result
        .path("ips")
        .valueStream()
        .map(ip -> ip.path("address").asString().replaceAll("/.*", ""))
        .toList();
  }

  private AddressInfo only() {
    assertThat(cluster.assigned()).hasSize(1);
    return cluster.assigned().getFirst();
  }

  private void persistence(String value) {
    cluster
        .datastore()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.IPAM_CONFIGURATION, "", "default"),
                spec ->
                    spec.put("strictAffinity", false)
                        .put("autoAllocateBlocks", true)
                        .put("kubeVirtVMAddressPersistence", value)));
  }

  private io.ocicat.ipam.Ipam library() {
    return io.ocicat.ipam.Ipam.forOneCall(cluster.datastore(), Sources.ofSystem());
  }

  @Test
  void theDatastoreTellsOfTheMachineAsCalicoTellsIt() {
    JsonNode result = started(FIRST);

    AddressInfo info = only();
    assertThat(info.handle()).isEqualTo(HANDLE);
    assertThat(info.owner())
        .containsOnlyKeys("node", "timestamp", "pod", "namespace", "vmi-name", "vmi-uid", "vm-uid")
        .containsEntry("pod", FIRST)
        .containsEntry("vmi-name", "vm")
        .containsEntry("vmi-uid", kubevirt.instanceUid("vm"))
        .containsEntry("vm-uid", kubevirt.machineUid("vm"));
    assertThat(info.alternate()).isEmpty();
    assertThat(result.path("routes")).hasSize(1);
    assertThat(cluster.handles()).containsExactly(HANDLE);
  }

  @Test
  void aMachineKeepsItsAddressFromPodToPod() {
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
  void anInstanceMadeAnewHasTheAddressOfTheOneBefore() {
    List<String> address = ips(started(FIRST));
    pod(FIRST).del().ok();
    kubevirt.instance("vm", true);

    assertThat(ips(started(NEXT))).isEqualTo(address);
    assertThat(only().owner()).containsEntry("vmi-uid", kubevirt.instanceUid("vm"));
  }

  @Test
  void aMachineMovesWithItsAddress() {
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
  void whereFelixHasPromotedTheTargetTheSourceLeavesNothingBehind() {
    started(FIRST);
    moved(NEXT);
    new MachineAddresses(library(), HANDLE).promote("shop", NEXT);

    assertThat(pod(NEXT).add().ok().path("routes")).as("it is here now").hasSize(1);
    pod(FIRST).del().ok();

    assertThat(only().owner()).containsEntry("pod", NEXT);
    assertThat(only().alternate()).isEmpty();
  }

  @Test
  void aMoveThatFailsLeavesTheMachineWhereItIs() {
    List<String> address = ips(started(FIRST));
    moved(NEXT);

    pod(NEXT).del().ok();

    assertThat(only().owner()).containsEntry("pod", FIRST);
    assertThat(only().alternate()).isEmpty();
    assertThat(ips(moved("virt-launcher-vm-ccccc"))).as("the next move").isEqualTo(address);
  }

  @Test
  void theNextTargetTakesThePlaceOfOneThatNeverLeft() {
    started(FIRST);
    moved(NEXT);

    moved("virt-launcher-vm-ccccc");
    pod(NEXT).del().ok();

    assertThat(only().owner()).containsEntry("pod", FIRST);
    assertThat(only().alternate()).containsEntry("pod", "virt-launcher-vm-ccccc");
  }

  @Test
  void addAgainIsTheSameAgain() {
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
  void addressesGoWithTheMachineAndItsLastPod() {
    started(FIRST);
    moved(NEXT);
    kubevirt.endMachine("vm");

    pod(FIRST).del().ok();
    assertThat(only().owner()).containsEntry("pod", NEXT);
    pod(NEXT).del().ok();

    assertThat(cluster.assigned()).isEmpty();
    assertThat(cluster.handles()).isEmpty();
    pod(NEXT).del().ok();
  }

  @Test
  void thatAnInstanceEndsIsNotTheEndOfItsMachine() {
    started(FIRST);
    kubevirt.endInstance("vm");

    pod(FIRST).del().ok();

    assertThat(only().owner()).isEmpty();
  }

  @Test
  void anInstanceWithoutAMachineCountsForItself() {
    kubevirt.removeMachine("vm");
    kubevirt.instance("vm", false);
    List<String> address = ips(started(FIRST));
    assertThat(only().owner()).doesNotContainKey("vm-uid");
    pod(FIRST).del().ok();
    assertThat(ips(started(NEXT))).isEqualTo(address);

    kubevirt.endInstance("vm");
    pod(NEXT).del().ok();

    assertThat(cluster.assigned()).isEmpty();
  }

  @Test
  void aPodThatOutlivesItsMachineTakesTheAddressesWithIt() {
    started(FIRST);
    kubevirt.removeInstance("vm");
    pod(FIRST).del().ok();
    assertThat(only().owner()).as("the machine is still there").isEmpty();

    kubevirt.removeMachine("vm");
    pod(FIRST).del().ok();

    assertThat(cluster.assigned()).isEmpty();
  }

  @Test
  void aPodOfTheInstanceBeforeTakesNothingFromTheNewOne() {
    started(FIRST);
    kubevirt.instance("vm", true);
    started(NEXT);
    AddressInfo before = only();

    pod(FIRST).del().ok();

    assertThat(only()).isEqualTo(before);
  }

  @Test
  void aPodThatIsGoneFromTheApiIsDetachedAndTheMachineKeepsItsAddress() {
    List<String> address = ips(started(FIRST));
    kubevirt.removePod(FIRST);

    pod(FIRST).del().ok();

    assertThat(only().handle()).isEqualTo(HANDLE);
    assertThat(ips(started(NEXT))).isEqualTo(address);
  }

  @Test
  void podsMayLeaveAtTheSameTime() {
    started(FIRST);
    moved(NEXT);
    kubevirt.endMachine("vm");

    List<Ran> left =
        AtOnce.run(
            List.<Callable<Ran>>of(
                pod(FIRST)::del, pod(NEXT)::del, pod(FIRST)::del, pod(NEXT)::del));

    left.forEach(Ran::ok);
    assertThat(cluster.assigned()).isEmpty();
    assertThat(cluster.handles()).isEmpty();
  }

  @Test
  void podsThatComeAtTheSameTimeShareOneAddress() {
    List<Callable<Ran>> adds =
        List.of("aaaaa", "bbbbb", "ccccc", "ddddd").stream()
            .map(suffix -> "virt-launcher-vm-" + suffix)
            .peek(name -> kubevirt.pod(name, "vm"))
            .<Callable<Ran>>map(name -> pod(name)::add)
            .toList();

    List<String> addresses =
        AtOnce.run(adds).stream().flatMap(ran -> ips(ran.ok()).stream()).distinct().toList();

    assertThat(addresses).hasSize(1);
    assertThat(cluster.addresses()).isEqualTo(addresses);
  }

  @Test
  void aMissingInstanceFailsAddAndNothingIsAssigned() {
    kubevirt.pod(FIRST, "vm");
    kubevirt.removeInstance("vm");

    CniException error = pod(FIRST).add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(error.msg())
        .isEqualTo(
            "VirtualMachineInstance shop/vm, which pod shop/%s is to run, does not exist"
                .formatted(FIRST));
    assertThat(cluster.assigned()).isEmpty();
    pod(FIRST).del().ok();
  }

  @Test
  void whatIsAnotherOneByNowOrGoneFailsAdd() {
    kubevirt.pod(FIRST, "vm");
    kubevirt.instance("vm", true);
    assertThat(pod(FIRST).add().error().msg()).contains("is another one than pod shop/" + FIRST);

    kubevirt.pod(NEXT, "vm");
    kubevirt.removeMachine("vm");
    assertThat(pod(NEXT).add().error().msg())
        .contains("VirtualMachine shop/vm, to which", "does not exist");

    assertThat(pod("virt-launcher-vm-ghost").add().error().msg())
        .isEqualTo("pod shop/virt-launcher-vm-ghost does not exist");
    assertThat(cluster.assigned()).isEmpty();
  }

  @Test
  void brokenObjectsAreToldAndHarmNobody() {
    ObjectNode nameless = kubevirt.launcher(FIRST, "vm");
    ((ObjectNode) nameless.at("/metadata/ownerReferences/0")).remove("uid");
    server.pod(nameless);
    assertThat(pod(FIRST).add().error().msg())
        .contains("belongs to a VirtualMachineInstance without name or uid");

    ObjectNode odd = kubevirt.launcher(NEXT, "vm");
    odd.withObject("/metadata").putArray("ownerReferences").add(7).addObject().put("kind", 7);
    server.pod(odd);
    pod(NEXT).add().ok();
    assertThat(only().handle()).as("of no machine").isEqualTo("net1.bbbbb");

    pod(FIRST).del().ok();
    pod(NEXT).del().ok();
    assertThat(cluster.assigned()).isEmpty();
  }

  @Test
  void whereNobodyKnowsMachinesAddTellsAndDelGoesOnLater() {
    started(FIRST);
    server.remove(
        "customresourcedefinitions.apiextensions.k8s.io", "virtualmachineinstances.kubevirt.io");

    CniException error = pod(FIRST).add().error();
    assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(error.msg()).contains("does not know virtualmachineinstances.kubevirt.io");
    assertThat(pod(FIRST).del().error().code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(only().handle()).isEqualTo(HANDLE);

    Kubevirt.install(server, "shop");
    pod(FIRST).del().ok();
  }

  @Test
  void aMachineWithoutAddressCannotMove() {
    kubevirt.target(NEXT, "vm");

    CniException error = pod(NEXT).add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(error.msg())
        .isEqualTo(
            "virtual machine shop/vm is to move to pod shop/%s, but handle %s has no address"
                .formatted(NEXT, HANDLE));
    assertThat(cluster.assigned()).isEmpty();
    assertThat(cluster.handles()).isEmpty();
  }

  @Test
  void withoutPersistenceAMachineIsAPodLikeOthersAndCannotMove() {
    persistence("Disabled");

    started(FIRST);

    assertThat(only().handle()).isEqualTo("net1.aaaaa");
    assertThat(only().owner()).containsOnlyKeys("node", "timestamp", "pod", "namespace");
    kubevirt.target(NEXT, "vm");
    CniException error = pod(NEXT).add().error();
    assertThat(error.msg()).contains("cannot move", "kubeVirtVMAddressPersistence is Disabled");
    assertThat(error.details()).contains("--kubevirt-ip-persistence Enabled");
    pod(NEXT).del().ok();
    pod(FIRST).del().ok();
    assertThat(cluster.assigned()).isEmpty();
  }

  @Test
  void whatWasGivenBeforePersistenceWasTurnedOnIsReleased() {
    persistence("Disabled");
    started(FIRST);
    cluster.datastore().delete(ResourceKey.of(Kind.IPAM_CONFIGURATION, "default"), null);
    persistence("Enabled");
    kubevirt.removePod(FIRST);

    pod(FIRST).del().ok();

    assertThat(cluster.assigned()).isEmpty();
  }

  @Test
  void theSettingOfTheCommandCounts() {
    io.ocicat.ipam.Ipam library = library();
    library.configure(new io.ocicat.datastore.model.IpamConfig(false, true, 0, false));

    started(FIRST);

    assertThat(only().handle()).isEqualTo("net1.aaaaa");
  }

  @Test
  void bothFamiliesAreKept() {
    cluster.pool("red", "fd00:65::/122");
    kubevirt.pod(FIRST, "vm");
    List<String> both = ips(pod(FIRST, DUAL).add().ok());
    assertThat(both).hasSize(2);
    kubevirt.target(NEXT, "vm");

    JsonNode arrived = pod(NEXT, DUAL).add().ok();

    assertThat(ips(arrived)).isEqualTo(both);
    assertThat(arrived.path("routes")).isEmpty();
    pod(FIRST, DUAL).del().ok();
    assertThat(cluster.assigned())
        .allSatisfy(
            info -> {
              assertThat(info.owner()).containsEntry("pod", NEXT);
              assertThat(info.alternate()).isEmpty();
            });
    kubevirt.endMachine("vm");
    pod(NEXT, DUAL).del().ok();
    assertThat(cluster.assigned()).isEmpty();
  }

  @Test
  void aFamilyThatIsWantedLaterIsAddedAndOneThatCannotBeTakesNothingAway() {
    List<String> v4 = ips(started(FIRST));
    kubevirt.pod(NEXT, "vm");
    assertThat(pod(NEXT, DUAL).add().error().msg()).contains("no");
    assertThat(cluster.addresses()).isEqualTo(v4);
    cluster.pool("red", "fd00:65::/127", spec -> spec.put("blockSize", 127));
    for (String other : List.of("x", "y")) {
      cluster.net("\"assign_ipv4\":\"false\",\"assign_ipv6\":\"true\"").container(other).add().ok();
    }

    assertThat(pod(NEXT, DUAL).add().error().msg()).contains("failed to request IPv6 addresses");
    assertThat(cluster.addresses()).contains(v4.getFirst());
    cluster.net("").container("x").del().ok();
    JsonNode both = pod(NEXT, DUAL).add().ok();

    assertThat(ips(both)).hasSize(2).startsWith(v4.getFirst());
    assertThat(both.path("routes")).hasSize(2);
  }

  @Test
  void aMachineThatHasNothingGetsBothFamiliesOrNone() {
    cluster.pool("red", "fd00:65::/128", spec -> spec.put("blockSize", 128));
    cluster.net("\"assign_ipv4\":\"false\",\"assign_ipv6\":\"true\"").container("x").add().ok();
    kubevirt.pod(FIRST, "vm");

    assertThat(pod(FIRST, DUAL).add().error().msg()).contains("failed to request IPv6 addresses");

    assertThat(cluster.handles()).containsExactly("net1.x");
    assertThat(cluster.addresses()).containsExactly("fd00:65::");
  }

  @Test
  void aCertainAddressIsGivenOnceOfEachFamily() {
    cluster.pool("red", "fd00:65::/122");
    kubevirt.pod(FIRST, "vm");

    assertThat(ips(asking(pod(FIRST), "10.65.0.7").add().ok())).containsExactly("10.65.0.7");
    assertThat(ips(asking(pod(FIRST), "fd00:65::7").add().ok())).containsExactly("fd00:65::7");
    assertThat(ips(asking(pod(FIRST), "10.65.0.7").add().ok())).containsExactly("10.65.0.7");
    CniException second = asking(pod(FIRST), "10.65.0.8").add().error();

    assertThat(second.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    assertThat(second.msg())
        .isEqualTo(
            "10.65.0.8 is asked for as address of virtual machine shop/vm, which has 10.65.0.7");
    assertThat(cluster.addresses()).containsExactlyInAnyOrder("10.65.0.7", "fd00:65::7");
    kubevirt.target(NEXT, "vm");
    assertThat(ips(asking(pod(NEXT), "10.65.0.7").add().ok())).containsExactly("10.65.0.7");
  }

  @Test
  void anAddressOfSomebodyElseIsNotTheMachines() {
    asking(cluster.net("").container("other").with("CNI_ARGS", "IgnoreUnknown=1"), "10.65.0.7")
        .add()
        .ok();
    kubevirt.pod(FIRST, "vm");

    assertThat(asking(pod(FIRST), "10.65.0.7").add().error().msg()).contains("already assigned");
    kubevirt.target(NEXT, "vm");
    assertThat(asking(pod(NEXT), "10.65.0.7").add().error().msg()).contains("no address");
  }

  @Test
  void longNamesAreCutAndWorkTheSame() {
    String name = "m".repeat(120);
    kubevirt.start(name);
    String pod = "virt-launcher-%s-aaaaa".formatted(name);
    kubevirt.pod(pod, name);

    List<String> address = ips(pod(pod).add().ok());

    assertThat(only().handle()).startsWith("net1.vmi._").hasSize("net1.vmi._".length() + 43);
    pod(pod).del().ok();
    assertThat(ips(pod(pod).add().ok())).isEqualTo(address);
    kubevirt.endMachine(name);
    pod(pod).del().ok();
    assertThat(cluster.assigned()).isEmpty();
    assertThat(cluster.handles()).isEmpty();
  }

  @Test
  void checkKnowsBothPodsOfAMachineThatMoves() {
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
    return call.withConfig(cluster.config("1.1.0", "", "\"prevResult\":" + result));
  }

  @Test
  void gcKeepsWhatIsAMachines() {
    started(FIRST);
    String name = "m".repeat(120);
    kubevirt.start(name);
    String pod = "virt-launcher-%s-ccccc".formatted(name);
    kubevirt.pod(pod, name);
    pod(pod).add().ok();

    for (String network : List.of("net1", "net1.vmi", "net1.vmi.shop")) {
      cluster
          .net("", "\"cni.dev/valid-attachments\":[]", "\"name\":\"%s\"".formatted(network))
          .gc()
          .ok();
    }
    assertThat(cluster.assigned()).hasSize(2);
    pod(FIRST).del().ok();
    cluster.net("", "\"cni.dev/valid-attachments\":[]").gc().ok();

    assertThat(cluster.assigned()).hasSize(2);
  }

  @Test
  void aPodThatIsOnlyCalledSoIsOneLikeOthers() {
    ObjectNode plain = kubevirt.launcher(FIRST, "vm");
    ((ObjectNode) plain.at("/metadata/ownerReferences/0")).put("kind", "ReplicaSet");
    server.pod(plain);

    pod(FIRST).add().ok();

    assertThat(only().handle()).isEqualTo("net1.aaaaa");
    pod(FIRST).del().ok();
    assertThat(cluster.assigned()).isEmpty();
  }
}
