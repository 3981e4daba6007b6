package io.ocicat.plugins.calico;

import static io.ocicat.plugins.calico.CalicoContract.address;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.plugins.Kubevirt;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A KubeVirt virtual machine that migrates from node to node, with both plugins and the permissions
 * of Calico's manifests.
 */
@Hosts
class MovingMachineTest {
  private static final String HANDLE = "net1.vmi.shop.vm";
  private static final String SOURCE = "virt-launcher-vm-aaaaa";
  private static final String TARGET = "virt-launcher-vm-bbbbb";

  @TempDir Path files;

  @SuppressWarnings("NullAway.Init") // by start
  private PodApi api;

  @SuppressWarnings("NullAway.Init") // by start
  private Store store;

  @SuppressWarnings("NullAway.Init") // by start
  private Kubevirt kubevirt;

  @BeforeEach
  void start() {
    api = PodApi.start(files);
    store = Store.kubernetes(api);
    store.reset();
    store.pool("pods", "10.65.0.0/24", false);
    api.cluster().node("node-b", Map.of());
    kubevirt = Kubevirt.install(api.cluster(), "shop");
    kubevirt.start("vm");
    kubevirt.pod(SOURCE, "vm");
    kubevirt.target(TARGET, "vm");
  }

  @AfterEach
  void stop() {
    store.close();
    api.close();
  }

  private Calling pod(Host host, String node, Host container, String name) {
    kubevirt.schedule(name, node);
    CalicoNode on = CalicoNode.of(host, store, files).named(node);
    return on.pod(on.pooled(Families.V4), container, "shop", name);
  }

  private AddressInfo only() {
    return store.open().list(ResourceQuery.of(Kind.IPAM_BLOCK)).items().stream()
        .flatMap(block -> Ipam.inUse(IpamBlock.of(block)).stream())
        .reduce(
            (_, _) -> {
              throw new AssertionError("more than one address is assigned: " + store.assigned());
            })
        .orElseThrow();
  }

  private static String routes(Host host, String address) {
    return host.exec("ip", "route", "show", address).stdout();
  }

  @Test
  void theHostItMovesToHasNoRouteAndTheOneItLeavesIsCleanAfterwards(
      Host left, Host right, Host source, Host target) {
    Calling there = pod(left, "node-a", source, SOURCE);
    Calling here = pod(right, "node-b", target, TARGET);

    JsonNode first = there.add().ok();
    JsonNode second = here.add().ok();

    String ip = address(first, 0);
    assertThat(address(second, 0)).isEqualTo(ip);
    assertThat(store.assigned()).containsExactly(ip + " " + HANDLE);
    assertThat(target.exec("ip", "-4", "address", "show", "eth0").stdout()).contains(ip + "/32");
    assertThat(target.exec("ip", "route").stdout()).contains("default via 169.254.1.1");
    assertThat(routes(left, ip)).contains("dev cali");
    assertThat(routes(right, ip)).isEmpty();
    there.previous(first).check().ok();
    here.previous(second).check().ok();
    assertThat(only().owner()).containsEntry("node", "node-a").containsEntry("pod", SOURCE);
    assertThat(only().alternate()).containsEntry("node", "node-b").containsEntry("pod", TARGET);

    there.del().ok();

    assertThat(routes(left, ip)).isEmpty();
    assertThat(only().owner()).containsEntry("node", "node-b").containsEntry("pod", TARGET);
    here.previous(second).check().ok();
    kubevirt.endMachine("vm");
    here.del().ok();
    assertThat(store.assigned()).isEmpty();
  }

  @Test
  void anAddThatFailsLaterTakesNothingFromTheMachine(Host host, Host source, Host again) {
    Calling first = pod(host, "node-a", source, SOURCE);
    String ip = address(first.add().ok(), 0);
    first.del().ok();
    host.exec("ip", "link", "add", "other", "type", "veth", "peer", "name", "peer");
    host.exec("ip", "link", "set", "other", "up");
    host.exec("ip", "route", "add", ip + "/32", "dev", "other");
    kubevirt.pod("virt-launcher-vm-ccccc", "vm");
    Calling next = pod(host, "node-a", again, "virt-launcher-vm-ccccc");

    assertThat(next.add().error().msg()).contains("already exists for an interface other than");
    assertThat(store.assigned()).containsExactly(ip + " " + HANDLE);
    assertThat(only().owner()).isEmpty();
    host.exec("ip", "link", "del", "other");

    assertThat(address(next.add().ok(), 0)).isEqualTo(ip);
  }

  @Test
  void anAddressThatThePodNamesIsTheMachinesFromThenOn(Host left, Host right, Host a, Host b) {
    for (String pod : new String[] {SOURCE, TARGET}) {
      var launcher = api.cluster().pod("shop", pod).orElseThrow();
      launcher
          .withObject("/metadata/annotations")
          .put("cni.projectcalico.org/ipAddrs", "[\"10.65.0.77\"]");
      api.cluster().pod(launcher);
    }

    pod(left, "node-a", a, SOURCE).add().ok();
    pod(right, "node-b", b, TARGET).add().ok();

    assertThat(only().handle()).isEqualTo(HANDLE);
    assertThat(only().address()).hasToString("10.65.0.77");
    assertThat(only().alternate()).containsEntry("pod", TARGET);
    assertThat(routes(left, "10.65.0.77")).contains("dev cali");
    assertThat(routes(right, "10.65.0.77")).as("as without a name").isEmpty();
  }
}
