package io.ocicat.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodMetadataTest {
  private static final PodMetadata WEB = new PodMetadata("web-0", "shop", "u-1", 3);

  @Test
  void namesAreWhatDockershimGaveContainers() {
    assertThat(WEB.containerName()).isEqualTo("k8s_POD_web-0_shop_u-1_3");
    assertThat(WEB.logFolder()).isEqualTo("shop_web-0_u-1");
    assertThat(WEB.podKey()).isEqualTo("web-0_shop");
  }

  @Test
  void namesCanBeReadBack() {
    assertThat(PodMetadata.ofContainerName(WEB.containerName())).isEqualTo(WEB);
    assertThat(PodMetadata.ofContainerName("/" + WEB.containerName())).isEqualTo(WEB);
    assertThat(PodMetadata.ofContainerName(WEB.containerName() + "_0a1b2c3d")).isEqualTo(WEB);
    PodMetadata most = new PodMetadata("a", "b", "c", 4294967295L);
    assertThat(PodMetadata.ofContainerName(most.containerName())).isEqualTo(most);
  }

  @ParameterizedTest
  @CsvSource({
    "k8s_POD_a_b_u_notanumber, notanumber",
    "k8s_POD_a_b_u_-1, -1",
    "k8s_POD_a_b_u_4294967296, 4294967296",
    "k8s_POD_a_b_u, 5 parts",
    "docker_POD_a_b_u_1, k8s",
    "k8s_POD_a_b_u_1_x_y, 8 parts"
  })
  void invalidNamesAreRejected(String text, String why) {
    assertThatThrownBy(() -> PodMetadata.ofContainerName(text))
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining(text)
        .hasMessageContaining(why);
  }
}
