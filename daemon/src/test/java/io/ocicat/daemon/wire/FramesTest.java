package io.ocicat.daemon.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.exec.PluginReply;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixSocket;
import io.ocicat.testkit.Seeded;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Bytes that come over the socket: those of the shim, and all others. */
class FramesTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final FilesystemView PLACE = new FilesystemView(1, 2, 3, 4);
  private static final int NAME_LENGTH = 8;
  private static final int DESCRIPTORS = 32;

  /** What the shim sends for {@code CNI_COMMAND=ADD ./br <<<{}}, without descriptors. */
  private static final String GOLDEN =
      "4f434931"
          + "01000000"
          + "02000000"
          + "13000000"
          + "02000000"
          + "60ea0000"
          + "0700000000000000"
          + "00000000"
          + "00000000"
          + "0100000000000000"
          + "0200000000000000"
          + "0300000000000000"
          + "0400000000000000"
          + "6272"
          + "3d2f00"
          + "434e495f434f4d4d414e443d41444400"
          + "7b7d";

  private static WireRequest request() {
    return new WireRequest(
        "br",
        Map.of("CNI_COMMAND", "ADD"),
        "{}".getBytes(StandardCharsets.UTF_8),
        Duration.ofMinutes(1),
        7,
        PLACE,
        Optional.empty(),
        Optional.empty(),
        "/");
  }

  @Test
  void aRequestIsTheBytesThatTheShimSends() {
    assertThat(HexFormat.of().formatHex(request().bytes())).isEqualTo(GOLDEN);
    try (WireRequest read = WireRequest.parse(HexFormat.of().parseHex(GOLDEN), List.of())) {
      assertThat(read.plugin()).isEqualTo("br");
      assertThat(read.environment()).isEqualTo(Map.of("CNI_COMMAND", "ADD"));
      assertThat(read.stdin()).asString().isEqualTo("{}");
      assertThat(read.limit()).isEqualTo(Duration.ofMinutes(1));
      assertThat(read.startedNanos()).isEqualTo(7);
      assertThat(read.place()).isEqualTo(PLACE);
      assertThat(read.directory()).isEqualTo("/");
    }
  }

  @Test
  void anAnswerIsTheBytesThatTheShimReads() {
    WireReply done = new WireReply.Done(new PluginReply(1, new byte[] {'o'}, "e"));
    assertThat(HexFormat.of().formatHex(done.bytes()))
        .isEqualTo("4f434931" + "01000000" + "0200" + "0100" + "01000000" + "01000000" + "6f65");
    assertThat(HexFormat.of().formatHex(new WireReply.Working().bytes()))
        .isEqualTo("4f434931" + "01000000" + "0100" + "0000" + "00000000" + "00000000");
    assertThat(new WireReply.Declined("no").bytes())
        .endsWith('n', 'o')
        .hasSize(WireReply.HEADER + 2);
  }

  @Test
  void aLaterMinorVersionIsServedAndAnotherMajorIsNot() {
    byte[] frame = request().bytes();
    frame[6] = 9;
    WireRequest.parse(frame, List.of()).close();
    frame[4] = 2;
    assertThatThrownBy(() -> WireRequest.parse(frame, List.of()))
        .isInstanceOf(WireException.class)
        .hasMessage("protocol 2.9 is not supported, only 1");
  }

  @Test
  void lengthsThatNoRequestHasAreRefusedBeforeAnythingIsAllocated() {
    for (int field = NAME_LENGTH; field < NAME_LENGTH + 12; field += 4) {
      for (int high : new int[] {0x7f, 0x80, 0xff}) {
        byte[] frame = request().bytes();
        frame[field + 3] = (byte) high;
        assertThatThrownBy(() -> send(frame)).isInstanceOf(WireException.class);
      }
    }
  }

  @Test
  void whateverComesIsARequestOrRefusedAndNoDescriptorStaysOpen() {
    warmUp();
    long open = descriptors();
    Seeded.forAll(
        400,
        random -> {
          byte[] frame = random.nextInt(4) == 0 ? noise(random) : spoilt(random);
          try {
            send(frame, random.nextInt(4)).ifPresent(WireRequest::close);
          } catch (WireException | NetlinkException e) {
            assertThat(e.getMessage()).isNotBlank();
          }
          assertThat(descriptors()).isEqualTo(open);
        });
  }

  @Test
  void anAnswerOfAnyBytesIsReadOrRefused() {
    Seeded.forAll(
        20_000,
        random -> {
          byte[] bytes =
              new WireReply.Done(new PluginReply(0, new byte[random.nextInt(9)], "text")).bytes();
          spoil(bytes, random);
          byte[] some = Arrays.copyOf(bytes, random.nextInt(bytes.length + 3));
          try {
            assertThat(WireReply.parse(some)).isNotNull();
          } catch (WireException e) {
            assertThat(e.getMessage()).isNotBlank();
          }
        });
  }

  @Test
  void aRequestOfAnyBytesIsReadOrRefused() {
    Seeded.forAll(
        20_000,
        random -> {
          try {
            WireRequest.parse(spoilt(random), List.of()).close();
          } catch (WireException e) {
            assertThat(e.getMessage()).isNotBlank();
          }
        });
  }

  private static void warmUp() {
    send(request().bytes(), 0).ifPresent(WireRequest::close);
  }

  private static byte[] noise(Random random) {
    byte[] bytes = new byte[1 + random.nextInt(200)];
    random.nextBytes(bytes);
    return bytes;
  }

  /** A corrupted request. */
  private static byte[] spoilt(Random random) {
    byte[] bytes = request().bytes();
    bytes[DESCRIPTORS] = (byte) random.nextInt(4);
    spoil(bytes, random);
    return random.nextInt(3) == 0
        ? Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length + 20))
        : bytes;
  }

  private static void spoil(byte[] bytes, Random random) {
    for (int changes = random.nextInt(4); changes > 0; changes--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
  }

  /** Sends it with so many descriptors, ends, and has it received. */
  private static Optional<WireRequest> send(byte[] frame, int count) {
    List<UnixSocket> pair = UnixSocket.pair(SocketType.STREAM);
    try (UnixSocket shim = pair.getFirst();
        UnixSocket daemon = pair.getLast();
        Fd some = Fd.open(Path.of("/proc/self/ns/net"), Fd.O_RDONLY, 0)) {
      int[] descriptors = new int[count];
      Arrays.fill(descriptors, some.number());
      shim.send(frame, LIMIT, descriptors);
      shim.endOutput();
      return WireRequest.receive(daemon, LIMIT, (_, _, _) -> true);
    }
  }

  private static Optional<WireRequest> send(byte[] frame) {
    return send(frame, 0);
  }

  private static long descriptors() {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
