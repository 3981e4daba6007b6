package io.ocicat.netlink.linux;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Seeded;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connected sockets, both ends in this process. */
class UnixSocketTest {
  private static final Duration SOON = Duration.ofMillis(30);
  private static final Duration LONG = Duration.ofSeconds(20);

  private List<UnixSocket> streams;
  private UnixSocket one;
  private UnixSocket other;

  @BeforeEach
  void open() {
    streams = UnixSocket.pair(SocketType.STREAM);
    one = streams.getFirst();
    other = streams.getLast();
  }

  @AfterEach
  void close() {
    streams.forEach(UnixSocket::close);
  }

  @Test
  void bytesArriveInOrderWhateverTheirNumber() throws Exception {
    byte[] bytes = new byte[3_000_000];
    new Random(7).nextBytes(bytes);

    CompletableFuture<byte[]> all = inBackground(() -> receiveAll(other));
    one.send(bytes, LONG);
    one.endOutput();

    assertThat(all.get(20, TimeUnit.SECONDS)).isEqualTo(bytes);
  }

  @Test
  void messagesArriveWhole() {
    List<UnixSocket> ends = UnixSocket.pair(SocketType.SEQPACKET);
    ends.getFirst().send(text("one"), LONG);
    ends.getFirst().send(text("second"), LONG);

    assertThat(receive(ends.getLast())).isEqualTo("one");
    assertThat(receive(ends.getLast())).isEqualTo("second");
    ends.forEach(UnixSocket::close);
  }

  @Test
  void aMessageThatIsTooLongIsAnError() {
    List<UnixSocket> ends = UnixSocket.pair(SocketType.SEQPACKET);
    ends.getFirst().send(text("too long"), LONG);
    ends.getFirst().send(text("next"), LONG);

    assertThatThrownBy(() -> ends.getLast().receive(3, 0, LONG))
        .hasMessage(
            "receive from its pair: Message too long (EMSGSIZE): the message is longer than expected");
    assertThat(receive(ends.getLast())).isEqualTo("next");
    ends.forEach(UnixSocket::close);
  }

  @Test
  void theEndOfThePeerIsNoError() {
    one.send(text("last words"), LONG);
    one.close();

    assertThat(receive(other)).isEqualTo("last words");
    assertThat(other.receive(10, 0, LONG)).isEmpty();
    assertThat(other.receive(10, 0, LONG)).isEmpty();
  }

  @Test
  void anEndedOutputStillLetsAnswersIn() {
    one.endOutput();
    assertThat(other.receive(10, 0, LONG)).isEmpty();

    other.send(text("answer"), LONG);
    assertThat(receive(one)).isEqualTo("answer");
    assertThatThrownBy(() -> one.send(text("more"), LONG))
        .hasMessage("send to its pair: Broken pipe (EPIPE)");
  }

  @Test
  void sendingToAPeerThatIsGoneIsABrokenPipe() {
    other.close();

    assertThatThrownBy(() -> one.send(text("hello?"), LONG))
        .hasMessage("send to its pair: Broken pipe (EPIPE)");
  }

  @Test
  void aSilentPeerIsWaitedForNoLongerThanAllowed() {
    assertThatThrownBy(() -> one.receive(10, 0, SOON))
        .isInstanceOf(NetlinkException.class)
        .hasMessage(
            "receive from its pair: Connection timed out (ETIMEDOUT): the peer let 30 ms pass");
    other.send(text("late"), LONG);
    assertThat(receive(one)).isEqualTo("late");
  }

  @Test
  void aPeerThatDoesNotReadIsWaitedForNoLongerThanAllowed() {
    assertThatThrownBy(() -> one.send(new byte[10_000_000], SOON))
        .hasMessage("send to its pair: Connection timed out (ETIMEDOUT): the peer let 30 ms pass");
  }

  @Test
  void aHangupIsNoticedWithoutReading() {
    other.send(text("unread"), LONG);
    assertThat(one.awaitHangup(SOON)).isFalse();

    other.close();

    assertThat(one.awaitHangup(LONG)).isTrue();
    assertThat(receive(one)).isEqualTo("unread");
  }

  @ParameterizedTest
  @EnumSource
  void closingWakesWhoReceives(SocketType type) {
    List<UnixSocket> ends = UnixSocket.pair(type);
    UnixSocket waiting = ends.getFirst();

    closeWhileWaiting(waiting, () -> waiting.receive(10, 0, LONG), "receive from its pair");
    ends.getLast().close();
  }

  @ParameterizedTest
  @EnumSource
  void closingWakesWhoSends(SocketType type) {
    List<UnixSocket> ends = UnixSocket.pair(type);
    UnixSocket waiting = ends.getFirst();
    assertThatThrownBy(() -> sendForever(waiting, SOON)).hasMessageContaining("ETIMEDOUT");

    closeWhileWaiting(waiting, () -> sendForever(waiting, LONG), "send to its pair");
    ends.getLast().close();
  }

  @Test
  void closingWakesWhoWaitsForAHangup() {
    closeWhileWaiting(one, () -> one.awaitHangup(LONG), "watch its pair");
  }

  private static void closeWhileWaiting(UnixSocket socket, ThrowingCallable wait, String verb) {
    CompletableFuture<Void> waiting =
        inBackground(
            () -> {
              assertThatThrownBy(wait)
                  .hasMessage(verb + ": Bad file descriptor (EBADF): the socket was closed here");
              return null;
            });
    // Whether it waits already or is only about to makes no difference to the outcome.
    assertThatThrownBy(() -> waiting.get(20, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);

    socket.close();

    assertThat(waiting).succeedsWithin(LONG);
    assertThat(socket.isOpen()).isFalse();
  }

  private static void sendForever(UnixSocket socket, Duration limit) {
    while (true) {
      socket.send(new byte[10_000], limit);
    }
  }

  @Test
  void aClosedSocketSaysSo() {
    one.close();
    one.close();

    assertThatThrownBy(() -> one.send(text("x"), LONG)).hasMessageContaining("EBADF");
    assertThatThrownBy(() -> one.receive(1, 0, LONG)).hasMessageContaining("EBADF");
    assertThatThrownBy(one::peer).hasMessageContaining("EBADF");
    assertThatThrownBy(one::endOutput).hasMessageContaining("EBADF");
  }

  @Test
  void closingAndReceivingAtOnceNeverTouchesAnotherFile() {
    Seeded.forAll(
        300,
        random -> {
          List<UnixSocket> ends = UnixSocket.pair(SocketType.STREAM);
          UnixSocket reader = ends.getFirst();
          CompletableFuture<Optional<Received>> reading =
              inBackground(() -> reader.receive(10, 0, LONG));
          if (random.nextBoolean()) {
            Thread.onSpinWait();
          }
          reader.close();
          // Gets the number that has just become free, if the close was too early.
          List<UnixSocket> next = UnixSocket.pair(SocketType.STREAM);
          next.getLast().send(text("not yours"), LONG);

          assertThatThrownBy(() -> reading.get(20, TimeUnit.SECONDS))
              .isInstanceOf(ExecutionException.class)
              .hasMessageContaining("EBADF");
          assertThat(receive(next.getFirst())).isEqualTo("not yours");
          next.forEach(UnixSocket::close);
          ends.getLast().close();
        });
  }

  @Test
  void nonsenseIsRefused() {
    assertThatThrownBy(() -> one.send(new byte[0], LONG, 1))
        .hasMessage("a message has at least 1 byte and at most 253 descriptors, not 0 and 1");
    assertThatThrownBy(() -> one.send(text("x"), LONG, new int[254]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> one.receive(0, 0, LONG))
        .hasMessage("a receive takes at least 1 byte and 0 to 253 descriptors, not 0 and 0");
    assertThatThrownBy(() -> one.receive(1, 254, LONG))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> one.send(text("x"), LONG, 9999))
        .hasMessage("send to its pair: Bad file descriptor (EBADF)");
  }

  @Test
  void thereIsNobodyToConnectTo(@TempDir Path directory) {
    Path path = directory.resolve("s");

    assertThatThrownBy(() -> UnixSocket.connect(path, SocketType.STREAM, LONG))
        .hasMessage("connect to " + path + ": No such file or directory (ENOENT)");
    UnixListener.bind(path, SocketType.STREAM, 0600).close();
    assertThatThrownBy(() -> UnixSocket.connect(path, SocketType.STREAM, LONG))
        .hasMessage("connect to " + path + ": Connection refused (ECONNREFUSED)");
    assertThatThrownBy(
            () -> UnixSocket.connect(directory.resolve("s".repeat(108)), SocketType.STREAM, LONG))
        .hasMessageStartingWith("a unix socket's path has 1 to 107 bytes, not ");
  }

  @Test
  void onlyUnixSocketsAreAdopted(@TempDir Path directory) {
    assertThatThrownBy(() -> UnixSocket.adopt(Fd.open(directory, Fd.O_RDONLY, 0)))
        .hasMessageContaining("Socket operation on non-socket (ENOTSOCK)");
    Fd inet = Fd.owning(Kernel.call(Syscall.SOCKET, 2, 1 | Fd.O_CLOEXEC, 0));
    assertThatThrownBy(() -> UnixSocket.adopt(inet)).hasMessageContaining("it is no unix socket");
  }

  @Test
  void nothingStaysOpen(@TempDir Path directory) throws IOException {
    cycle(directory);
    List<String> before = OpenFiles.now();

    for (int i = 0; i < 500; i++) {
      cycle(directory);
    }

    Eventually.passes(LONG, () -> assertThat(openFiles()).isEqualTo(before));
  }

  private static void cycle(Path directory) {
    List<UnixSocket> ends = UnixSocket.pair(SocketType.SEQPACKET);
    ends.getFirst().send(text("too long"), LONG);
    assertThatThrownBy(() -> ends.getLast().receive(3, 0, LONG))
        .isInstanceOf(NetlinkException.class);
    assertThatThrownBy(() -> ends.getLast().receive(3, 0, Duration.ZERO))
        .isInstanceOf(NetlinkException.class);
    ends.forEach(UnixSocket::close);
    assertThatThrownBy(() -> UnixSocket.adopt(Fd.open(directory, Fd.O_RDONLY, 0)))
        .isInstanceOf(NetlinkException.class);
    assertThatThrownBy(() -> UnixSocket.connect(directory.resolve("no"), SocketType.STREAM, LONG))
        .isInstanceOf(NetlinkException.class);
    assertThatThrownBy(() -> UnixSocket.connect(Path.of("s".repeat(108)), SocketType.STREAM, LONG))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static List<String> openFiles() {
    try {
      return OpenFiles.now();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] text(String text) {
    return text.getBytes(UTF_8);
  }

  private static String receive(UnixSocket socket) {
    return new String(socket.receive(100, 0, LONG).orElseThrow().bytes(), UTF_8);
  }

  private static byte[] receiveAll(UnixSocket socket) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (Optional<Received> some = socket.receive(65_536, 0, LONG);
        some.isPresent();
        some = socket.receive(65_536, 0, LONG)) {
      all.writeBytes(some.get().bytes());
    }
    return all.toByteArray();
  }

  private static <T> CompletableFuture<T> inBackground(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, Thread.ofPlatform()::start);
  }
}
