package io.ocicat.plugins.calicoipam;

import static io.ocicat.plugins.calicoipam.MachineScenarios.asking;
import static io.ocicat.plugins.calicoipam.MachineScenarios.ips;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Addresses of both families, and requested addresses. */
interface MachineAddressScenarios extends MachineScenarios {
  String DUAL = "\"assign_ipv4\":\"true\",\"assign_ipv6\":\"true\"";
  String ONLY_V6 = "\"assign_ipv4\":\"false\",\"assign_ipv6\":\"true\"";

  @Test
  default void bothFamiliesAreKept() {
    cluster().pool("red", "fd00:65::/122");
    kubevirt().pod(FIRST, "vm");
    List<String> both = ips(pod(FIRST, DUAL).add().ok());
    assertThat(both).hasSize(2);
    kubevirt().target(NEXT, "vm");

    JsonNode arrived = pod(NEXT, DUAL).add().ok();

    assertThat(ips(arrived)).isEqualTo(both);
    assertThat(arrived.path("routes")).isEmpty();
    pod(FIRST, DUAL).del().ok();
    assertThat(cluster().assigned())
        .allSatisfy(
            info -> {
              assertThat(info.owner()).containsEntry("pod", NEXT);
              assertThat(info.alternate()).isEmpty();
            });
    kubevirt().endMachine("vm");
    pod(NEXT, DUAL).del().ok();
    assertThat(cluster().assigned()).isEmpty();
  }

  @Test
  default void aFamilyThatIsWantedLaterIsAddedAndOneThatCannotBeTakesNothingAway() {
    List<String> v4 = ips(started(FIRST));
    kubevirt().pod(NEXT, "vm");
    assertThat(pod(NEXT, DUAL).add().error().msg()).contains("no");
    assertThat(cluster().addresses()).isEqualTo(v4);
    cluster().pool("red", "fd00:65::/127", spec -> spec.put("blockSize", 127));
    for (String other : List.of("x", "y")) {
      cluster().net(ONLY_V6).container(other).add().ok();
    }

    assertThat(pod(NEXT, DUAL).add().error().msg()).contains("failed to request IPv6 addresses");
    assertThat(cluster().addresses()).contains(v4.getFirst());
    cluster().net("").container("x").del().ok();
    JsonNode both = pod(NEXT, DUAL).add().ok();

    assertThat(ips(both)).hasSize(2).startsWith(v4.getFirst());
    assertThat(both.path("routes")).hasSize(2);
  }

  @Test
  default void aMachineThatHasNothingGetsBothFamiliesOrNone() {
    cluster().pool("red", "fd00:65::/128", spec -> spec.put("blockSize", 128));
    cluster().net(ONLY_V6).container("x").add().ok();
    kubevirt().pod(FIRST, "vm");

    assertThat(pod(FIRST, DUAL).add().error().msg()).contains("failed to request IPv6 addresses");

    assertThat(cluster().handles()).containsExactly("net1.x");
    assertThat(cluster().addresses()).containsExactly("fd00:65::");
  }

  @Test
  default void aCertainAddressIsGivenOnceOfEachFamily() {
    cluster().pool("red", "fd00:65::/122");
    kubevirt().pod(FIRST, "vm");

    assertThat(ips(asking(pod(FIRST), "10.65.0.7").add().ok())).containsExactly("10.65.0.7");
    assertThat(ips(asking(pod(FIRST), "fd00:65::7").add().ok())).containsExactly("fd00:65::7");
    assertThat(ips(asking(pod(FIRST), "10.65.0.7").add().ok())).containsExactly("10.65.0.7");
    CniException second = asking(pod(FIRST), "10.65.0.8").add().error();

    assertThat(second.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    assertThat(second.msg())
        .isEqualTo(
            "10.65.0.8 is requested as address of virtual machine shop/vm, which has 10.65.0.7");
    assertThat(cluster().addresses()).containsExactlyInAnyOrder("10.65.0.7", "fd00:65::7");
    kubevirt().target(NEXT, "vm");
    assertThat(ips(asking(pod(NEXT), "10.65.0.7").add().ok())).containsExactly("10.65.0.7");
  }

  @Test
  default void anAddressOfSomebodyElseIsNotTheMachines() {
    asking(cluster().net("").container("other").with("CNI_ARGS", "IgnoreUnknown=1"), "10.65.0.7")
        .add()
        .ok();
    kubevirt().pod(FIRST, "vm");

    assertThat(asking(pod(FIRST), "10.65.0.7").add().error().msg()).contains("already assigned");
    kubevirt().target(NEXT, "vm");
    assertThat(asking(pod(NEXT), "10.65.0.7").add().error().msg()).contains("no address");
  }
}
