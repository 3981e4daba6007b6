package io.ocicat.datastore.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.json.StoredJson;
import io.ocicat.testkit.Seeded;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WorkloadEndpointNameTest {

  @Test
  void partsAreJoinedByDashesAndTheirOwnAreDoubled() {
    assertThat(WorkloadEndpointName.ofPod("node-a", "cart-7d9f", "eth0").text())
        .isEqualTo("node--a-k8s-cart--7d9f-eth0");
    assertThat(WorkloadEndpointName.ofContainer("n", "4f1c0d9b77aa", "eth0").text())
        .isEqualTo("n-cni-4f1c0d9b77aa-eth0");
  }

  @Test
  void theSpecSaysTheName() {
    assertThat(
            WorkloadEndpointName.ofSpec(
                    StoredJson.parseObject(
                        """
                        {"orchestrator":"k8s","node":"n","pod":"p-0","containerID":"c","endpoint":"eth0"}\
                        """))
                .text())
        .isEqualTo("n-k8s-p--0-eth0");
    assertThat(
            WorkloadEndpointName.ofSpec(
                    StoredJson.parseObject(
                        "{\"orchestrator\":\"libnetwork\",\"node\":\"n\",\"endpoint\":\"e\"}"))
                .text())
        .isEqualTo("n-libnetwork-libnetwork-e");
    assertThat(
            WorkloadEndpointName.ofSpec(
                    StoredJson.parseObject(
                        """
                        {"orchestrator":"openstack","node":"n","workload":"w","endpoint":"e"}\
                        """))
                .text())
        .isEqualTo("n-openstack-w-e");
  }

  @Test
  void aPrefixEndsAtTheFirstUnknownPart() {
    assertThat(WorkloadEndpointName.ofPod("node-1", "pod-name", "").prefix())
        .isEqualTo("node--1-k8s-pod--name-");
    assertThat(WorkloadEndpointName.ofPod("node-1", "", "eth0").prefix()).isEqualTo("node--1-k8s-");
    assertThat(new WorkloadEndpointName("n", "", "", "").prefix()).isEqualTo("n-");
    assertThat(WorkloadEndpointName.ofPod("n", "p", "e").prefix()).isEqualTo("n-k8s-p-e");
    assertThatThrownBy(() -> new WorkloadEndpointName("", "k8s", "p", "e").prefix())
        .hasMessage("node is missing");
  }

  @Test
  void aPrefixMayListMoreThanMatches() {
    WorkloadEndpointName web = WorkloadEndpointName.ofPod("n", "web", "");

    assertThat("n-k8s-web--1-eth0").startsWith(web.prefix());
    assertThat(web.matches("n-k8s-web--1-eth0")).isFalse();
    assertThat(web.matches("n-k8s-web-eth0")).isTrue();
    assertThat(web.matches("n-cni-web-eth0")).isFalse();
    assertThat(web.matches("short")).isFalse();
    assertThat(web.matches("n-k8s-web-eth0-more")).isFalse();
  }

  @Test
  void whatCannotBeAPartIsNamed() {
    assertThatThrownBy(() -> WorkloadEndpointName.ofPod("n", "", "eth0").text())
        .hasMessage("pod is missing");
    assertThatThrownBy(() -> WorkloadEndpointName.ofContainer("n", "", "eth0").text())
        .hasMessage("containerID is missing");
    assertThatThrownBy(() -> WorkloadEndpointName.ofPod("n", "web-", "eth0").text())
        .hasMessage("pod \"web-\" must not start or end with a dash");
    assertThatThrownBy(() -> WorkloadEndpointName.ofPod("-n", "web", "eth0").prefix())
        .hasMessage("node \"-n\" must not start or end with a dash");
  }

  @Test
  void theBeginningOfANameIsReadLoosely() {
    assertThat(WorkloadEndpointName.parseLoosely("node--1-k8s"))
        .isEqualTo(new WorkloadEndpointName("node-1", "k8s", "", ""));
    assertThatThrownBy(() -> WorkloadEndpointName.parseLoosely("a-b-c-d-e"))
        .hasMessageContaining("1–4 parts, not 5");
    assertThatThrownBy(() -> WorkloadEndpointName.parseLoosely(""))
        .hasMessageContaining("1–4 parts, not 0");
  }

  @Test
  void anyNameIsReadBack() {
    Seeded.forAll(
        500,
        random -> {
          WorkloadEndpointName name =
              new WorkloadEndpointName(part(random), part(random), part(random), part(random));
          assertThat(WorkloadEndpointName.parse(name.text())).contains(name);
          assertThat(WorkloadEndpointName.parseLoosely(name.text())).isEqualTo(name);
          assertThat(name.matches(name.text())).isTrue();
          assertThat(name.text()).startsWith(name.prefix());
        });
  }

  private static String part(Random random) {
    String inner = "ab-.-";
    StringBuilder part = new StringBuilder("x");
    for (int i = random.nextInt(8); i > 0; i--) {
      part.append(inner.charAt(random.nextInt(inner.length())));
    }
    return part.append('y').toString();
  }
}
