package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.cluster.OwnerReference;
import io.ocicat.datastore.cluster.VirtualMachine;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.json.StoredJson;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** KubeVirt's machines, their instances, and the pods that belong to these. */
class VirtualMachinesTest {
  private final ApiServer server = new ApiServer();
  private final KubernetesDatastore datastore = Opening.open(server);

  @BeforeEach
  void define() {
    server.createNamespace("shop");
    for (String resource : List.of("virtualmachines", "virtualmachineinstances")) {
      server.define(
          List.of(
              StoredJson.parseObject(
                  "{\"metadata\":{\"name\":\"%s.kubevirt.io\"},\"spec\":{\"group\":\"kubevirt.io\"}}"
                      .formatted(resource))));
    }
  }

  @AfterEach
  void close() {
    datastore.close();
    server.close();
  }

  private void put(String collection, String metadata) {
    server.put(
        collection,
        "shop/vm",
        StoredJson.parseObject(
            "{\"metadata\":{\"name\":\"vm\",\"namespace\":\"shop\"%s}}".formatted(metadata)));
  }

  @Test
  void machinesAndInstancesAreObjectsOfTheirOwn() {
    put("virtualmachines.kubevirt.io", ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"");
    assertThat(datastore.cluster().virtualMachineInstance("shop", "vm")).isEmpty();
    put(
        "virtualmachineinstances.kubevirt.io",
        ",\"ownerReferences\":[{\"apiVersion\":\"kubevirt.io/v1\",\"kind\":\"VirtualMachine\","
            + "\"name\":\"vm\",\"uid\":\"u1\",\"controller\":true}]");

    VirtualMachine machine = datastore.cluster().virtualMachine("shop", "vm").orElseThrow();
    VirtualMachine instance =
        datastore.cluster().virtualMachineInstance("shop", "vm").orElseThrow();

    assertThat(machine.isEnding()).isTrue();
    assertThat(machine.owners()).isEmpty();
    assertThat(instance.isEnding()).isFalse();
    assertThat(instance.uid()).isNotEmpty().isNotEqualTo(machine.uid());
    assertThat(instance.owners())
        .containsExactly(new OwnerReference("kubevirt.io/v1", "VirtualMachine", "vm", "u1", true));
    assertThat(datastore.cluster().virtualMachine("shop", "other")).isEmpty();
    assertThat(datastore.cluster().virtualMachine("elsewhere", "vm")).isEmpty();
  }

  @Test
  void whatIsBrokenInAnObjectIsAsIfItWereNotThere() {
    put(
        "virtualmachineinstances.kubevirt.io",
        ",\"deletionTimestamp\":null,\"ownerReferences\":[7,null,{\"kind\":[]},{\"controller\":\"yes\"}]");

    VirtualMachine instance =
        datastore.cluster().virtualMachineInstance("shop", "vm").orElseThrow();

    assertThat(instance.isEnding()).isFalse();
    OwnerReference nothing = new OwnerReference("", "", "", "", false);
    assertThat(instance.owners()).containsExactly(nothing, nothing);
  }

  @Test
  void unknownMachinesAreNotMissingMachines() {
    server
        .store()
        .remove("customresourcedefinitions.apiextensions.k8s.io", "virtualmachines.kubevirt.io");
    assertThatThrownBy(() -> datastore.cluster().virtualMachine("shop", "vm"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("does not know virtualmachines.kubevirt.io")
        .hasMessageNotContaining("ocicat crds");

    server.deny("get", "virtualmachineinstances.kubevirt.io");
    assertThatThrownBy(() -> datastore.cluster().virtualMachineInstance("shop", "vm"))
        .isInstanceOf(UnauthorizedException.class)
        .hasMessageContaining(
            "VirtualMachineInstance shop/vm: allow \"get\" on virtualmachineinstances.kubevirt.io in namespace shop");
  }
}
