package io.ocicat.conformance.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.SpecVersion;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClaimedVersionsTest {
  private static final ClaimedVersions BOTH =
      ClaimedVersions.of(List.of("1.1.0", "0.4.0", "1.0.0", "9.9.9"));

  @Test
  void onlyKnownVersionsCountInTheirOrder() {
    assertThat(BOTH.versions())
        .containsExactly(SpecVersion.V0_4_0, SpecVersion.V1_0_0, SpecVersion.V1_1_0);
    assertThat(BOTH.newest()).isEqualTo(SpecVersion.V1_1_0);
    assertThat(BOTH).hasToString("0.4.0, 1.0.0, 1.1.0");
  }

  @Test
  void anOlderIpamPluginLimitsWhatCanBeSpoken() {
    ClaimedVersions claims = BOTH.with(ClaimedVersions.of(List.of("0.3.1", "0.4.0", "1.0.0")));

    assertThat(claims.versions()).isEqualTo(BOTH.versions());
    assertThat(claims.usable()).containsExactly(SpecVersion.V0_4_0, SpecVersion.V1_0_0);
    assertThat(claims.newest()).isEqualTo(SpecVersion.V1_0_0);
    assertThat(claims).hasToString("0.4.0, 1.0.0, 1.1.0 (with its IPAM plugin: 0.4.0, 1.0.0)");
  }

  @Test
  void anIpamPluginWithoutVersionsLimitsNothing() {
    assertThat(BOTH.with(ClaimedVersions.NONE)).isEqualTo(BOTH);
  }
}
