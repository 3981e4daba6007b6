package io.ocicat.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodBandwidthTest {
  @Test
  void withoutAnnotationsNothingIsLimited() {
    assertThat(PodBandwidth.of(Map.of("other", "1M")).toCapability()).isEmpty();
  }

  @Test
  void eachSideIsLimitedByItself() {
    assertThat(capability(Map.of(PodBandwidth.INGRESS, "10M")))
        .isEqualTo("{\"ingressRate\":10000000,\"ingressBurst\":2147483647}");
    assertThat(capability(Map.of(PodBandwidth.EGRESS, "1Mi")))
        .isEqualTo("{\"egressRate\":1048576,\"egressBurst\":2147483647}");
    assertThat(capability(Map.of(PodBandwidth.INGRESS, "1k", PodBandwidth.EGRESS, "1P")))
        .contains("\"ingressRate\":1000,", "\"egressRate\":1000000000000000,");
  }

  private static String capability(Map<String, String> annotations) {
    return Json.compact(PodBandwidth.of(annotations).toCapability().orElseThrow());
  }

  @ParameterizedTest
  @CsvSource({
    "1.5M, 1500000",
    "2e6, 2000000",
    ".5G, 500000000",
    "1500000m, 1500",
    "1E3, 1000",
    "+3k, 3000"
  })
  void quantitiesAreWrittenInManyWays(String text, long rate) {
    assertThat(PodBandwidth.of(Map.of(PodBandwidth.EGRESS, text)).egress()).isEqualTo(rate);
  }

  @ParameterizedTest
  @CsvSource({
    "fast, not a quantity",
    "10Mb, not a quantity",
    "'', not a quantity",
    "1 M, not a quantity",
    "-1M, small",
    "999, small",
    "0, small",
    "1001T, large",
    "1E, large",
    "1e99, large"
  })
  void whatIsNoRateIsRefused(String text, String why) {
    assertThatThrownBy(() -> PodBandwidth.of(Map.of(PodBandwidth.INGRESS, text)))
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining(PodBandwidth.INGRESS)
        .hasMessageContaining(text)
        .hasMessageContaining(why);
  }
}
