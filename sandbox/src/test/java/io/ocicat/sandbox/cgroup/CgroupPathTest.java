package io.ocicat.sandbox.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CgroupPathTest {
  @Test
  void cgroupfsHasPaths() {
    assertThat(CgroupPath.of("/kubepods/burstable/pod1", "c", false))
        .isEqualTo(new CgroupPath("/kubepods/burstable/pod1/c", "/kubepods/burstable/pod1/c"));
    assertThat(CgroupPath.of("", "c", false).group()).isEqualTo("/ocicat/c");
    assertThat(CgroupPath.of("kubepods", "c", false).group()).isEqualTo("/kubepods/c");
  }

  @Test
  void systemdHasSlices() {
    CgroupPath path =
        CgroupPath.of(
            "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice", "c", true);
    assertThat(path.forRuntime()).isEqualTo("kubepods-burstable-pod1_2.slice:ocicat:c");
    assertThat(path.group())
        .isEqualTo(
            "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice/ocicat-c.scope");
    assertThat(CgroupPath.of("", "c", true).forRuntime()).isEqualTo("ocicat.slice:ocicat:c");
  }

  /** containerd#4857: a driver that differs from kubelet's restarts all pods. */
  @Test
  void theFormMustBeThatOfTheDriver() {
    assertThatThrownBy(() -> CgroupPath.of("/test.slice", "c", false))
        .hasMessageContainingAll("/test.slice", "systemd", "cgroupfs");
    assertThatThrownBy(() -> CgroupPath.of("/kubepods", "c", true))
        .hasMessageContainingAll("/kubepods", "cgroupfs", "systemd");
    assertThatThrownBy(() -> CgroupPath.of("/a/../../b", "c", false))
        .hasMessageContaining("not a path");
  }
}
