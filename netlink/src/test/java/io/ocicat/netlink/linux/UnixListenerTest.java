package io.ocicat.netlink.linux;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Sockets that accept connections. */
class UnixListenerTest {
  private static final Duration SOON = Duration.ofMillis(30);
  private static final Duration LONG = Duration.ofSeconds(20);

  @TempDir static Path tools;
  private static Peer peer;

  @TempDir Path directory;
  private Path path;

  @BeforeAll
  static void compile() throws IOException {
    peer = Peer.compile(tools);
  }

  @BeforeEach
  void name() {
    path = directory.resolve("s");
  }

  @ParameterizedTest
  @EnumSource
  void anotherProcessConnectsAndTalks(SocketType type) {
    try (UnixListener listener = UnixListener.bind(path, type, 0600);
        Background client = peer.start(path, type, "send", "hello", "recv");
        UnixSocket socket = listener.accept(LONG).orElseThrow()) {
      assertThat(socket.receive(100, 0, LONG).orElseThrow().bytes()).asString().isEqualTo("hello");
      socket.send("welcome".getBytes(UTF_8), LONG);

      assertThat(client.await(LONG).stdout()).isEqualTo("welcome\n");
    }
  }

  /** As systemd holds the socket of a daemon that it stops. */
  @Test
  void whoRefusesRefusesForAllThatHaveTheSocketOpen() {
    Path path = directory.resolve("refusing");
    try (UnixListener listener = UnixListener.bind(path, SocketType.STREAM, 0600);
        UnixSocket waiting = UnixSocket.connect(path, SocketType.STREAM, LONG)) {
      listener.refuse();

      assertThatThrownBy(() -> UnixSocket.connect(path, SocketType.STREAM, LONG))
          .hasMessageContaining("ECONNREFUSED");
      listener.accept(LONG).orElseThrow().close();
      assertThat(waiting.receive(1, 0, LONG)).isEmpty();
    }
  }

  @Test
  void theKernelTellsWhoConnected() {
    try (UnixListener listener = UnixListener.bind(path, SocketType.STREAM, 0600);
        Background client = peer.start(path, SocketType.STREAM, "wait");
        UnixSocket socket = listener.accept(LONG).orElseThrow()) {
      assertThat(socket.peer()).isEqualTo(new PeerCredentials((int) client.pid(), 0, 0));
      assertThat(socket.peer().isRoot()).isTrue();
    }
  }

  @Test
  void aClientOfAnotherUserIsToldApart() throws IOException {
    open();
    try (UnixListener listener = UnixListener.bind(path, SocketType.SEQPACKET, 0666);
        Background client = as(4711, 4712, SocketType.SEQPACKET, "wait").start();
        UnixSocket socket = listener.accept(LONG).orElseThrow()) {
      assertThat(socket.peer()).isEqualTo(new PeerCredentials((int) client.pid(), 4711, 4712));
      assertThat(socket.peer().isRoot()).isFalse();
    }
  }

  @Test
  void theModeKeepsOtherUsersOut() throws IOException {
    open();
    try (UnixListener _ = UnixListener.bind(path, SocketType.STREAM, 0600)) {
      Output refused = as(4711, 4712, SocketType.STREAM, "send", "x").attempt();
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.stderr()).isEqualTo("connect: Permission denied\n");
    }
  }

  @ParameterizedTest
  @CsvSource({"0600, rw-------", "0660, rw-rw----", "0666, rw-rw-rw-"})
  void theFileHasTheModeAskedForWhateverTheUmask(String mode, String permissions)
      throws IOException {
    UnixListener.bind(path, SocketType.STREAM, Integer.parseInt(mode, 8)).close();
    assertThat(Files.getPosixFilePermissions(path))
        .isEqualTo(PosixFilePermissions.fromString(permissions));

    UnixListener.takeOver(path, SocketType.STREAM, Integer.parseInt(mode, 8)).close();
    assertThat(Files.getPosixFilePermissions(path))
        .isEqualTo(PosixFilePermissions.fromString(permissions));
  }

  @ParameterizedTest
  @EnumSource
  void closingWakesAllWhoAccept(SocketType type) throws Exception {
    UnixListener listener = UnixListener.bind(path, type, 0600);
    List<CompletableFuture<Optional<UnixSocket>>> waiting =
        IntStream.range(0, 3)
            .mapToObj(i -> inBackground(i == 0 ? listener::accept : () -> listener.accept(LONG)))
            .toList();
    assertThatThrownBy(() -> waiting.getFirst().get(20, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);

    listener.close();

    for (CompletableFuture<Optional<UnixSocket>> each : waiting) {
      assertThat(each.get(20, TimeUnit.SECONDS)).isEmpty();
    }
    assertThat(listener.isOpen()).isFalse();
    assertThat(listener.accept()).isEmpty();
    assertThatThrownBy(() -> UnixSocket.connect(path, type, LONG))
        .hasMessageContaining("ECONNREFUSED");
  }

  @Test
  void acceptWaitsNoLongerThanAllowed() {
    try (UnixListener listener = UnixListener.bind(path, SocketType.STREAM, 0600)) {
      assertThat(listener.accept(SOON)).isEmpty();
      assertThat(listener.isOpen()).isTrue();
    }
  }

  @Test
  void eachConnectionIsAcceptedOnce() throws Exception {
    UnixListener listener = UnixListener.bind(path, SocketType.SEQPACKET, 0600);
    List<CompletableFuture<Integer>> acceptors =
        IntStream.range(0, 4).mapToObj(_ -> inBackground(() -> acceptAll(listener))).toList();
    for (int i = 0; i < 200; i++) {
      try (UnixSocket socket = UnixSocket.connect(path, SocketType.SEQPACKET, LONG)) {
        assertThat(socket.receive(10, 0, LONG)).isPresent();
      }
    }
    listener.close();
    int accepted = 0;
    for (CompletableFuture<Integer> acceptor : acceptors) {
      accepted += acceptor.get(20, TimeUnit.SECONDS);
    }
    assertThat(accepted).isEqualTo(200);
  }

  private static int acceptAll(UnixListener listener) {
    int count = 0;
    for (Optional<UnixSocket> next = listener.accept();
        next.isPresent();
        next = listener.accept()) {
      try (UnixSocket socket = next.get()) {
        socket.send(new byte[1], LONG);
        count++;
      }
    }
    return count;
  }

  @Test
  void aKilledClientIsNoticed() {
    try (UnixListener listener = UnixListener.bind(path, SocketType.STREAM, 0600)) {
      Background client = peer.start(path, SocketType.STREAM, "send", "xy", "wait");
      try (UnixSocket socket = listener.accept(LONG).orElseThrow()) {
        assertThat(socket.receive(1, 0, LONG)).isPresent();
        assertThat(socket.awaitHangup(Duration.ZERO)).isFalse();
        client.close();
        assertThat(socket.awaitHangup(LONG)).isTrue();
        assertThat(socket.receive(10, 0, LONG).orElseThrow().bytes()).asString().isEqualTo("y");
        assertThat(socket.receive(10, 0, LONG)).isEmpty();
      }
    }
  }

  @Test
  void aNameInUseIsRefused() throws IOException {
    UnixListener.bind(path, SocketType.STREAM, 0600).close();

    assertThatThrownBy(() -> UnixListener.bind(path, SocketType.STREAM, 0600))
        .hasMessage("listen at " + path + ": Address already in use (EADDRINUSE)");
    assertThat(path).exists();
    Path missing = directory.resolve("no").resolve("s");
    assertThatThrownBy(() -> UnixListener.bind(missing, SocketType.STREAM, 0600))
        .hasMessage("listen at " + missing + ": No such file or directory (ENOENT)");
  }

  @Test
  void aSuccessorTakesTheNameOverWhileClientsConnect() throws Exception {
    UnixListener first = UnixListener.takeOver(path, SocketType.STREAM, 0600);
    AtomicBoolean stop = new AtomicBoolean();
    CompletableFuture<Integer> clients =
        inBackground(
            () -> {
              int connected = 0;
              while (!stop.get()) {
                UnixSocket.connect(path, SocketType.STREAM, LONG).close();
                connected++;
              }
              return connected;
            });
    List<UnixListener> listeners = new ArrayList<>(List.of(first));
    for (int i = 0; i < 100; i++) {
      listeners.add(UnixListener.takeOver(path, SocketType.STREAM, 0600));
      assertThat(listeners.get(i).ownsFile()).isFalse();
      assertThat(listeners.getLast().ownsFile()).isTrue();
    }
    stop.set(true);

    assertThat(clients.get(20, TimeUnit.SECONDS)).isPositive();
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).containsExactly(path);
    }
    listeners.forEach(UnixListener::close);
  }

  @Test
  void onlyItsOwnFileIsRemoved() {
    UnixListener old = UnixListener.bind(path, SocketType.STREAM, 0600);
    UnixListener successor = UnixListener.takeOver(path, SocketType.STREAM, 0600);

    old.removeFile();
    old.close();
    assertThat(path).exists();

    successor.removeFile();
    assertThat(path).doesNotExist();
    assertThat(successor.ownsFile()).isFalse();
    successor.removeFile();
    successor.close();
  }

  @Test
  void aDirectoryInTheWayIsAnError() throws IOException {
    Files.createDirectory(path);

    assertThatThrownBy(() -> UnixListener.takeOver(path, SocketType.STREAM, 0600))
        .hasMessage("move a new unix socket to " + path);
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).containsExactly(path);
    }
  }

  @Test
  void aFullQueueIsWaitedForNoLongerThanAllowed() {
    Fd narrow = SocketCalls.socket(SocketType.STREAM);
    SocketCalls.toAddress(Syscall.BIND, narrow, path);
    Kernel.call(Syscall.LISTEN, narrow.number(), 0);
    try (UnixListener listener = UnixListener.adopt(narrow);
        UnixSocket _ = UnixSocket.connect(path, SocketType.STREAM, LONG)) {
      assertThatThrownBy(() -> UnixSocket.connect(path, SocketType.STREAM, SOON))
          .hasMessage(
              "connect to %s: Connection timed out (ETIMEDOUT): its queue was full for 30 ms"
                  .formatted(path));
      listener.accept(LONG).orElseThrow().close();
    }
  }

  @Test
  void whatDoesNotListenIsNotAdopted() {
    assertThatThrownBy(() -> UnixListener.adopt(SocketCalls.socket(SocketType.STREAM)))
        .hasMessageContaining("Invalid argument (EINVAL): it is no unix socket that listens");
    assertThatThrownBy(() -> UnixListener.adopt(Fd.open(directory, Fd.O_RDONLY, 0)))
        .hasMessageContaining("ENOTSOCK");
  }

  @Test
  void nothingStaysOpen() throws IOException {
    cycle();
    List<String> before = OpenFiles.now();

    for (int i = 0; i < 500; i++) {
      cycle();
    }

    Eventually.passes(LONG, () -> assertThat(openFiles()).isEqualTo(before));
  }

  private void cycle() throws IOException {
    try (UnixListener listener = UnixListener.takeOver(path, SocketType.STREAM, 0600);
        UnixSocket client = UnixSocket.connect(path, SocketType.STREAM, LONG);
        UnixSocket server = listener.accept(LONG).orElseThrow()) {
      client.send(new byte[3], LONG, 1, 2);
      assertThatThrownBy(() -> server.receive(10, 1, LONG)).isInstanceOf(NetlinkException.class);
      assertThatThrownBy(() -> UnixListener.bind(path, SocketType.STREAM, 0600))
          .isInstanceOf(NetlinkException.class);
    }
    assertThatThrownBy(() -> UnixListener.takeOver(directory, SocketType.STREAM, 0600))
        .isInstanceOf(RuntimeException.class);
    assertThatThrownBy(() -> UnixListener.adopt(SocketCalls.socket(SocketType.STREAM)))
        .isInstanceOf(NetlinkException.class);
  }

  private static List<String> openFiles() {
    try {
      return OpenFiles.now();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Lets other users reach the socket and the peer, as far as their modes go. */
  private void open() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(tools, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Command as(int uid, int gid, SocketType type, String... steps) {
    List<String> argv =
        new ArrayList<>(
            List.of("setpriv", "--reuid=" + uid, "--regid=" + gid, "--clear-groups", "--"));
    argv.addAll(peer.command(path, type, steps).argv());
    return Command.of(argv);
  }

  private static <T> CompletableFuture<T> inBackground(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, Thread.ofPlatform()::start);
  }
}
