package io.ocicat.netlink.tc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arithmetic of token buckets. */
class TbfTest {
  @Test
  void theKernelsClockTicksEvery64Nanoseconds() throws IOException {
    String[] psched = Files.readString(Path.of("/proc/net/psched")).strip().split(" ", -1);

    assertThat(Integer.parseInt(psched[0], 16)).isEqualTo(1000);
    assertThat(Integer.parseInt(psched[1], 16)).isEqualTo(Ticks.NANOS);
    assertThat(Integer.parseInt(psched[2], 16)).isEqualTo(1_000_000);
  }

  @ParameterizedTest
  @CsvSource({
    // Where microseconds divide evenly, the same as the Go bandwidth plugin's numbers; it cuts
    // fractions off, which here are rounded up.
    "8000000, 8000000, 15625000, 1025000",
    "1000000, 80000, 1250000, 13125",
    "80000000, 2147483640, 419430399, 268685456"
  })
  void bufferAndLimitFollowFromRateBurstAndLatency(long rate, long burst, long buffer, long limit) {
    Tbf tbf = Tbf.withLatency(Rate.ofBits(rate), burst / 8, Duration.ofMillis(25));

    assertThat(tbf.buffer()).isEqualTo(buffer);
    assertThat(tbf.limit()).isEqualTo(limit);
  }

  @Test
  void burstAndLatencyAreReadBackAsAskedFor() {
    Seeded.forAll(
        5000,
        random -> {
          Rate rate = Rate.ofBytes(random.nextLong(1000, 15_000_000));
          long burst = random.nextLong(1500, Math.min(100_000_000, Tbf.largestBurst(rate)));
          Duration latency = Duration.ofMillis(random.nextInt(1, 100));

          Tbf tbf = Tbf.withLatency(rate, burst, latency);

          assertThat(tbf.burst()).isEqualTo(burst);
          // A queue is made of whole bytes, so the wait is a multiple of what one takes.
          assertThat(tbf.latency())
              .isBetween(latency, latency.plusNanos(1_000_000_000 / rate.bytesPerSecond() + 1));
        });
  }

  @Test
  void aBurstTheClockCannotExpressIsRoundedUp() {
    Rate fast = Rate.ofBits(400_000_000_000L);

    assertThat(Tbf.withLimit(fast, 1500, 10_000).burst()).isEqualTo(3200);
  }

  @Test
  void aBurstThatTakesLongerThanTheClockHoldsIsRefusedWithItsBound() {
    Rate slow = Rate.ofBits(1_000_000);

    assertThat(Tbf.largestBurst(slow)).isEqualTo(34_359_738);
    assertThat(Tbf.withLimit(slow, 34_359_738, 1).burst()).isEqualTo(34_359_738);
    assertThatThrownBy(() -> Tbf.withLimit(slow, 34_359_739, 1))
        .hasMessage(
            "a burst at 1Mbit must be 1 to 34359738 bytes, not 34359739: the kernel's clock holds"
                + " 274 seconds of it");
    assertThatThrownBy(() -> Tbf.withLimit(slow, 0, 1)).hasMessageContaining("not 0");
    assertThatThrownBy(() -> Tbf.withLimit(slow, 1L << 32, 1))
        .hasMessage("a burst must be 0 to 4294967295 bytes, not 4294967296");
  }

  @Test
  void aQueueThatDoesNotFitIsRefused() {
    Rate fast = Rate.ofBits(100_000_000_000L);

    assertThatThrownBy(() -> Tbf.withLatency(fast, 1_000_000, Duration.ofSeconds(1)))
        .hasMessageStartingWith(
            "a token bucket of 100Gbit and 1000000 bytes cannot have a latency");
    assertThatThrownBy(() -> Tbf.withLatency(fast, 1_000_000, Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Tbf.withLimit(fast, 1_000_000, -1))
        .hasMessage("a queue limit must be 0 to 4294967295 bytes, not -1");
  }

  @Test
  void absurdRatesFromElsewhereStillHaveABurst() {
    assertThat(new Tbf(Rate.ofBytes(Long.MAX_VALUE), Ticks.MAX, 1).burst()).isPositive();
  }
}
