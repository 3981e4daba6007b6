package io.ocicat.plugins.bandwidth;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.tc.Rate;
import io.ocicat.netlink.tc.Tbf;
import io.ocicat.testkit.Seeded;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DirectionLimitTest {
  private static final int MTU = 1500;

  /** The Go plugin's numbers, from its own arithmetic. */
  @ParameterizedTest
  @CsvSource({
    "8_000_000, 8_000_000, 15_625_000, 1_025_000",
    "1_000_000, 80_000, 1_250_000, 13_125",
    "80_000_000, 2_147_483_647, 419_430_390, 268_685_455",
    "8_000, 1_600_000, 3_125_000_000, 200_025",
    "100_000_000_000, 1_000_000, 156, 312_625_000",
  })
  void theBucketHasTheNumbersOfGo(String bits, String burst, String buffer, String limit) {
    Tbf bucket = limit(number(bits), number(burst)).bucket(MTU);

    assertThat(bucket.rate().bytesPerSecond()).isEqualTo(number(bits) / 8);
    assertThat(bucket.buffer()).isEqualTo(number(buffer));
    assertThat(bucket.limit()).isEqualTo(number(limit));
  }

  @Test
  void aBurstThatTheClockDoesNotHoldIsCutOff() {
    DirectionLimit limit = limit(8_000, 20_000_000);

    assertThat(limit.bucket(MTU).buffer()).isEqualTo(0xffff_ffffL);
    assertThat(limit.bucket(MTU).limit()).isEqualTo(2_500_025);
    // 2,500 seconds are 39,062,500,000 ticks; this is what is left of them in 32 bits.
    Tbf wrapped = new Tbf(Rate.ofBytes(1000), 407_794_336, 2_500_025);
    assertThat(limit.isKeptBy(wrapped, MTU)).as("what Go makes of it").isTrue();
  }

  @Test
  void aQueueThatDoesNotFitIsCutOff() {
    DirectionLimit limit = limit(8_000_000_000_000L, 34_000_000_000L);

    assertThat(limit.bucket(MTU).limit()).isEqualTo(0xffff_ffffL);
    assertThat(limit.isKeptBy(limit.bucket(MTU), MTU)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "1_000_000, 8_000, 1500",
    "1_000_000, 7, 1500",
    "1_000_000, 12_000, 9000",
    "100_000_000_000, 8_000, 1500",
    "10_000_000_000, 12_112, 1500",
    "1_000_000, 8_000, 65535",
  })
  void aBurstIsAtLeastOnePacket(String bits, String burst, int mtu) {
    DirectionLimit limit = limit(number(bits), number(burst));
    Tbf bucket = limit.bucket(mtu);

    assertThat(bucket.burst()).isGreaterThanOrEqualTo(mtu + 14);
    assertThat(bucket.limit()).isGreaterThanOrEqualTo(number(bits) / 8 / 40 + mtu + 14);
    assertThat(limit.isKeptBy(bucket, mtu)).isTrue();
  }

  @Test
  void atAFewBytesPerSecondTheBucketIsAsDeepAsTheClockAllows() {
    assertThat(limit(8, 8).bucket(MTU).burst()).isEqualTo(274);
  }

  @Test
  void anyLimitHasABucketThatItRecognizes() {
    Seeded.forAll(
        10_000,
        random -> {
          DirectionLimit limit = any(random);
          int mtu = random.nextInt(68, 65_536);
          Tbf bucket = limit.bucket(mtu);
          assertThat(limit.isKeptBy(bucket, mtu)).as("%s at %d", limit, mtu).isTrue();
          Rate more = Rate.ofBytes(limit.rate().bytesPerSecond() + 1);
          Tbf faster = new Tbf(more, bucket.buffer(), bucket.limit());
          assertThat(limit.isKeptBy(faster, mtu)).as("%s at %d", limit, mtu).isFalse();
        });
  }

  private static DirectionLimit any(RandomGenerator random) {
    long rate = 1 + (random.nextLong() >>> (3 + random.nextInt(60)));
    long burst = random.nextLong(0xffff_ffffL) >>> random.nextInt(32);
    return new DirectionLimit(Rate.ofBytes(rate), burst);
  }

  private static DirectionLimit limit(long bits, long burst) {
    return new DirectionLimit(Rate.ofBits(bits), burst / 8);
  }

  private static long number(String text) {
    return Long.parseLong(text.replace("_", ""));
  }
}
