package io.ocicat.daemon.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HistogramTest {
  private final Histogram histogram = new Histogram();
  private final Exposition out = new Exposition();

  @Test
  void eachBucketCountsWhatTheSmallerOnesDo() {
    histogram.record(100_000);
    histogram.record(100_001);
    histogram.record(3_000_000);
    histogram.record(500_000_000_000L);

    histogram.writeTo(out, "x_seconds", "verb", "ADD");

    assertThat(out.toString().lines())
        .contains(
            "x_seconds_bucket{verb=\"ADD\",le=\"0.0001\"} 1",
            "x_seconds_bucket{verb=\"ADD\",le=\"0.00025\"} 2",
            "x_seconds_bucket{verb=\"ADD\",le=\"0.005\"} 3",
            "x_seconds_bucket{verb=\"ADD\",le=\"120\"} 3",
            "x_seconds_bucket{verb=\"ADD\",le=\"+Inf\"} 4",
            "x_seconds_sum{verb=\"ADD\"} 500.003200001",
            "x_seconds_count{verb=\"ADD\"} 4");
  }

  @Test
  void oneThatHasSeenNothingIsEmpty() {
    assertThat(histogram.isEmpty()).isTrue();
    histogram.record(0);
    assertThat(histogram.isEmpty()).isFalse();
  }

  @Test
  void labelsAreQuotedAsPrometheusReadsThem() {
    out.sample("x", 1, "a", "back\\slash \"quote\" \n line");

    assertThat(out.toString()).isEqualTo("x{a=\"back\\\\slash \\\"quote\\\" \\n line\"} 1\n");
  }
}
