package io.ocicat.daemon.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.testkit.Seeded;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CallRecordTest {
  private static final CallRecord RECORD =
      new CallRecord(
          new BootId(new UUID(1, 2)),
          3,
          new NamespaceId(4, 5),
          NamespaceId.NONE,
          "bridge",
          Map.of("CNI_COMMAND", "ADD", "CNI_CONTAINERID", "c1", "CNI_IFNAME", "eth0"),
          new byte[] {'{', '}'},
          new byte[0]);

  @Test
  void aRecordIsReadAsItWasWritten() {
    CallRecord read = CallRecord.parse(RECORD.bytes()).orElseThrow();
    assertThat(read).usingRecursiveComparison().isEqualTo(RECORD);
    assertThat(read.isAdd()).isTrue();
    assertThat(read.key()).contains(new AttachmentKey("c1", "eth0"));
    assertThat(read.withResult(new byte[] {7}).result()).containsExactly(7);
  }

  @Test
  void anIncompleteRecordCountsAsAbsent() {
    Seeded.forAll(
        5000,
        random -> {
          byte[] bytes = RECORD.bytes();
          if (random.nextBoolean()) {
            bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
          } else {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
          }
          assertThat(CallRecord.parse(bytes)).isEmpty();
        });
  }

  @Test
  void anyBytesAreNoRecord() {
    Seeded.forAll(
        5000,
        random -> {
          byte[] bytes = new byte[random.nextInt(300)];
          random.nextBytes(bytes);
          assertThat(CallRecord.parse(bytes)).isEmpty();
        });
  }
}
