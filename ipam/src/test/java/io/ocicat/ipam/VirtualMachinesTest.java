package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.gc.VirtualMachines;
import io.ocicat.ipam.model.AddressInfo;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which virtual machine an address is kept for, and whether it still exists. */
class VirtualMachinesTest {
  private static AddressInfo address(
      String handle, Map<String, String> owner, Map<String, String> alternate) {
    return new AddressInfo(
        IpAddress.parse("10.0.0.1"),
        IpPrefix.parse("10.0.0.0/26"),
        null,
        handle,
        owner,
        alternate,
        1);
  }

  private static AddressInfo kept(String handle) {
    return address(handle, Map.of(), Map.of());
  }

  @ParameterizedTest
  @CsvSource({
    "k8s-pod-network.vmi.shop.vm, shop/vm",
    "net.vmi.shop.web.example, shop/web.example",
    "net.vmi._3q2-7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789A, ''",
    "net.vmi.shop., ''",
    "net.c1, ''",
    "net.vmi.shop.vmi.x, shop/vmi.x",
  })
  void theHandleNamesTheMachineAnAddressIsKeptFor(String handle, String machine) {
    assertThat(String.join(" ", VirtualMachines.namedBy(kept(handle)))).isEqualTo(machine);
  }

  @Test
  void aNetworkThatIsCalledLikeAMachineLeavesItInDoubt() {
    assertThat(VirtualMachines.namedBy(kept("net.vmi.x.vmi.shop.vm")))
        .containsExactly("x/vmi.shop.vm", "shop/vm");
  }

  @Test
  void ownersKnowBetterThanTheHandle() {
    Map<String, String> owner = Map.of("namespace", "shop", "pod", "p", "vmi-name", "vm");

    assertThat(VirtualMachines.namedBy(address("net.vmi._digest", owner, Map.of())))
        .containsExactly("shop/vm");
    assertThat(VirtualMachines.namedBy(address("net.vmi._digest", Map.of(), owner)))
        .containsExactly("shop/vm");
  }

  @Test
  void aMachineOrAnInstanceIsEnough() {
    try (TestCluster server = new TestCluster(ApiGroup.V1);
        var datastore = server.open()) {
      VirtualMachines machines = VirtualMachines.of(datastore::cluster);
      AddressInfo info = kept("net.vmi.shop.vm");
      assertThat(machines.mayExist(info)).as("the API knows no such objects").isTrue();
      server.define("virtualmachines.kubevirt.io");
      assertThat(machines.mayExist(info)).as("nor instances").isTrue();
      server.define("virtualmachineinstances.kubevirt.io");

      assertThat(machines.mayExist(info)).isFalse();
      server.put("virtualmachineinstances.kubevirt.io", "shop", "vm", Json.object());
      assertThat(machines.mayExist(info)).isTrue();
      server.remove("virtualmachineinstances.kubevirt.io", "shop", "vm");
      server.put("virtualmachines.kubevirt.io", "shop", "vm", Json.object());
      assertThat(machines.mayExist(info)).isTrue();
      assertThat(machines.mayExist(kept("net.vmi.shop.other"))).isFalse();
      assertThat(machines.mayExist(kept("net.vmi._digest"))).as("nobody can tell").isTrue();
    }
  }

  @Test
  void whereNobodyCanBeAskedEveryMachineMayExist() {
    AddressInfo info = kept("net.vmi.shop.vm");
    Cluster none = new KeyValueDatastore(new MemoryStore()).cluster();

    assertThat(VirtualMachines.UNKNOWN.mayExist(info)).isTrue();
    assertThat(VirtualMachines.of(() -> none).mayExist(info)).isTrue();
    assertThat(
            VirtualMachines.of(
                    () -> {
                      throw new UnavailableException("the API is away", null);
                    })
                .mayExist(info))
        .isTrue();
  }
}
