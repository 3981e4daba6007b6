package io.ocicat.netlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Seeded;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The wire format in both directions, and the handling of malformed bytes. */
class MessageTest {

  @Test
  void aMessageIsWrittenAsTheKernelReadsIt() {
    NetlinkRequest request =
        NetlinkRequest.of(
            16,
            NetlinkRequest.CREATE,
            out ->
                out.zeros(4)
                    .u8(1, 0xfe)
                    .be16(2, 0x0102)
                    .text(3, "eth0")
                    .nest(18, () -> out.u32(1, 7)),
            () -> "");

    // length, type, flags|REQUEST, sequence, port; header; attributes padded to four bytes
    assertThat(hex(write(request)))
        .isEqualTo(
            "3c000000"
                + "1000"
                + "0104"
                + "2a000000"
                + "00000000"
                + "00000000"
                + "0500"
                + "0100"
                + "fe000000"
                + "0600"
                + "0200"
                + "01020000"
                + "0900"
                + "0300"
                + "65746830"
                + "00000000"
                + "0c00"
                + "1280"
                + "0800"
                + "0100"
                + "07000000");
  }

  @Test
  void whatIsWrittenIsReadBack() {
    NetlinkRequest request =
        NetlinkRequest.of(
            16,
            0,
            out ->
                out.zeros(16)
                    .u8(1, 200)
                    .u16(2, 60_000)
                    .u32(3, -1)
                    .u64(4, Long.MIN_VALUE)
                    .be16(5, 60_000)
                    .be32(6, 0xdeadbeef)
                    .be64(7, 1)
                    .text(8, "größe")
                    .flag(9)
                    .nest(10, () -> out.nest(1, () -> out.u32(1, 5)).nest(1, () -> out.u32(1, 6))),
            () -> "");

    NetlinkMessage message = NetlinkMessage.split(write(request)).getFirst();
    Attributes read = message.attributes(16);

    assertThat(read.u8(1, 0)).isEqualTo(200);
    assertThat(read.u16(2, 0)).isEqualTo(60_000);
    assertThat(read.u32(3, 0)).isEqualTo(-1);
    assertThat(read.u64(4, 0)).isEqualTo(Long.MIN_VALUE);
    assertThat(read.be16(5, 0)).isEqualTo(60_000);
    assertThat(read.be32(6, 0)).isEqualTo(0xdeadbeef);
    assertThat(read.be64(7, 0)).isOne();
    assertThat(read.text(8)).contains("größe");
    assertThat(read.has(9)).isTrue();
    assertThat(read.has(11)).isFalse();
    assertThat(read.elements(10)).extracting(element -> element.u32(1, 0)).containsExactly(5, 6);
    assertThat(read.types()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  }

  @Test
  void aBatchThatOutgrowsItsMemoryIsKeptWhole() {
    byte[] value = new byte[60_000];
    Arrays.fill(value, (byte) 7);
    NetlinkRequest request = NetlinkRequest.of(16, 0, out -> out.bytes(1, value), () -> "");

    NetlinkMessage message = NetlinkMessage.split(write(request)).getFirst();

    assertThat(message.attributes(0).bytes(1)).hasValue(value);
  }

  @Test
  void anAttributeBiggerThanItsLengthFieldIsRefused() {
    NetlinkRequest request =
        NetlinkRequest.of(16, 0, out -> out.nest(1, () -> out.zeros(70_000)), () -> "");

    assertThatThrownBy(() -> write(request)).hasMessageContaining("at most 65535 bytes");
  }

  @Test
  void lengthsThatLieAreRefused() {
    assertThatThrownBy(
            () ->
                NetlinkMessage.split(bytes("ffff0000" + "1000" + "0000" + "00000000" + "00000000")))
        .hasMessage(
            "read the kernel's answer: Protocol error (EPROTO): a message claims 65535 bytes where 16 are left");
    assertThatThrownBy(
            () ->
                NetlinkMessage.split(bytes("04000000" + "1000" + "0000" + "00000000" + "00000000")))
        .hasMessageContaining("a message claims 4 bytes");
    assertThatThrownBy(() -> NetlinkMessage.split(bytes("1100")))
        .hasMessageContaining("2 bytes remain after the last message");
    assertThatThrownBy(() -> attributes("0300" + "0100"))
        .hasMessageContaining("an attribute claims 3 bytes where 4 are left");
    assertThatThrownBy(() -> attributes("0500" + "0100" + "07").u32(1, 0))
        .hasMessageContaining("attribute 1 has 1 bytes instead of 4");
  }

  @Test
  void anyBytesAreMessagesOrACleanException() {
    Seeded.forAll(
        20_000,
        random -> {
          byte[] bytes = random.nextBoolean() ? noise(random) : mutated(random);
          try {
            for (NetlinkMessage message : NetlinkMessage.split(bytes)) {
              exercise(message);
            }
          } catch (NetlinkException e) {
            assertThat(e.errno().name()).isEqualTo("EPROTO");
          }
        });
  }

  private static void exercise(NetlinkMessage message) {
    if (List.of(NetlinkMessage.ERROR, NetlinkMessage.DONE, NetlinkMessage.OVERRUN)
        .contains(message.type())) {
      assertThat(Ack.read(message).error()).isNotNegative();
    }
    Attributes attributes = message.attributes(16);
    for (int type : attributes.types()) {
      assertThat(attributes.bytes(type)).isPresent();
      assertThat(attributes.text(type)).isPresent();
      assertThat(attributes.elements(type)).isNotNull();
      assertThat(attributes.u16(type, -1)).isBetween(0, 0xffff);
    }
  }

  private static byte[] noise(Random random) {
    byte[] bytes = new byte[random.nextInt(200)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] mutated(Random random) {
    int type = 2 + random.nextInt(3);
    NetlinkRequest valid =
        NetlinkRequest.of(
            type,
            0x200,
            out -> out.zeros(20).text(1, "why").u32(2, 4).nest(3, () -> out.u32(1, 1)),
            () -> "");
    byte[] bytes = write(valid);
    for (int i = random.nextInt(4); i > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    return random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
  }

  private static byte[] write(NetlinkRequest request) {
    MessageWriter out = new MessageWriter(64);
    out.message(request, 42);
    return Arrays.copyOf(out.bytes(), out.length());
  }

  private static Attributes attributes(String hex) {
    return Attributes.parse(ByteBuffer.wrap(bytes(hex)).order(ByteOrder.nativeOrder()));
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
