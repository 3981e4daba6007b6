package io.ocicat.netlink.linux;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Passing open files between processes. */
@Hosts
class DescriptorPassingTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int FD_CLOEXEC = 1;
  private static final int F_GETFD = 1;

  @TempDir static Path tools;
  private static Peer peer;

  @TempDir Path directory;
  private Path path;
  private UnixListener listener;

  @BeforeAll
  static void compile() throws IOException {
    peer = Peer.compile(tools);
  }

  @BeforeEach
  void listen() {
    path = directory.resolve("s");
    listener = UnixListener.bind(path, SocketType.STREAM, 0600);
  }

  @AfterEach
  void close() {
    listener.close();
  }

  @ParameterizedTest
  @EnumSource
  void severalFilesArriveWithTheirBytes(SocketType type) {
    Path own = directory.resolve("own");
    List<Path> files = IntStream.range(0, 5).mapToObj(i -> file("file" + i)).toList();
    try (UnixListener typed = UnixListener.bind(own, type, 0600);
        Background _ = peer.start(own, type, "pass", "hello", joined(files), "wait");
        UnixSocket socket = typed.accept(LONG).orElseThrow();
        Received received = socket.receive(100, 5, LONG).orElseThrow()) {
      assertThat(new String(received.bytes(), UTF_8)).isEqualTo("hello");
      assertThat(received.descriptors()).extracting(Fd::id).isEqualTo(ids(files));
      assertThat(received.descriptors())
          .allMatch(fd -> Kernel.call(Syscall.FCNTL, fd.number(), F_GETFD) == FD_CLOEXEC);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theOtherProcessGetsWhatWeSend(SocketType type) {
    Path own = directory.resolve("own");
    try (UnixListener typed = UnixListener.bind(own, type, 0600);
        Background reader = peer.start(own, type, "recv", "recv", "eof");
        UnixSocket socket = typed.accept(LONG).orElseThrow();
        Fd one = Fd.open(file("one"), Fd.O_RDONLY, 0);
        Fd two = Fd.open(directory, Fd.O_RDONLY, 0)) {
      socket.send("both".getBytes(UTF_8), LONG, one.number(), two.number());
      Eventually.await("the first message", () -> reader.stdout().contains("\n"));
      socket.send("none".getBytes(UTF_8), LONG);
      socket.endOutput();

      assertThat(reader.await(LONG).stdout())
          .isEqualTo("both %s %s\nnone\neof\n".formatted(text(one.id()), text(two.id())));
    }
  }

  @Test
  void aNamespaceIsPassedAndUsed(Host host) {
    host.exec("ip", "link", "add", "here", "type", "ifb");
    try (Background _ = peer.start(path, SocketType.STREAM, "pass", "ns", host.path().toString());
        UnixSocket socket = listener.accept(LONG).orElseThrow();
        Received received = socket.receive(10, 1, LONG).orElseThrow();
        NetNs namespace = NetNs.ofDescriptor(received.descriptors().getFirst().number());
        NetNs expected = NetNs.open(host.path())) {
      received.descriptors().forEach(Fd::close);

      assertThat(namespace.id()).isEqualTo(expected.id());
      assertThat(namespace.cookie()).isEqualTo(expected.cookie());
      assertThat(namespace.visit(() -> Sysctl.of("net", "ipv4", "conf", "here", "tag").read()))
          .isEqualTo("0");
    }
  }

  @Test
  void oneDescriptorTooManyClosesThemAll() throws IOException {
    List<String> before = openWithConnection("many", "x", "2");
    for (int round = 0; round < 20; round++) {
      try (Background _ = peer.start(path, SocketType.STREAM, "many", "x", "2", "eof");
          UnixSocket socket = listener.accept(LONG).orElseThrow()) {
        assertThatThrownBy(() -> socket.receive(10, 1, LONG))
            .hasMessage(
                "receive from a client of %s: Message too long (EMSGSIZE): more descriptors came than the expected 1, or this process has too many open"
                    .formatted(path));
      }
    }
    assertThat(OpenFiles.now()).isEqualTo(before);
  }

  @Test
  void whereNoneIsExpectedNoneIsLeftOpen() throws IOException {
    List<String> before = openWithConnection("send", "x");
    try (Background _ = peer.start(path, SocketType.STREAM, "many", "x", "253", "eof");
        UnixSocket socket = listener.accept(LONG).orElseThrow()) {
      assertThatThrownBy(() -> socket.receive(10, 0, LONG)).hasMessageContaining("EMSGSIZE");
    }
    assertThat(OpenFiles.now()).isEqualTo(before);
  }

  @Test
  void asManyAsTheKernelAllowsArrive() throws IOException {
    List<String> before = openWithConnection("send", "x");
    try (Background _ = peer.start(path, SocketType.STREAM, "many", "x", "253", "eof");
        UnixSocket socket = listener.accept(LONG).orElseThrow();
        Received received = socket.receive(10, 253, LONG).orElseThrow()) {
      assertThat(received.descriptors()).hasSize(253);
    }
    assertThat(OpenFiles.now()).isEqualTo(before);
  }

  @Test
  void aMessageThatIsTooLongTakesItsDescriptorsWithIt() throws IOException {
    List<UnixSocket> warm = UnixSocket.pair(SocketType.SEQPACKET);
    warm.forEach(UnixSocket::close);
    List<String> before = OpenFiles.now();
    List<UnixSocket> ends = UnixSocket.pair(SocketType.SEQPACKET);
    for (int round = 0; round < 100; round++) {
      ends.getFirst().send("too long".getBytes(UTF_8), LONG, 0, 1, 2);
      assertThatThrownBy(() -> ends.getLast().receive(3, 3, LONG))
          .hasMessageContaining("the message is longer than expected");
    }
    ends.forEach(UnixSocket::close);
    assertThat(OpenFiles.now()).isEqualTo(before);
  }

  @Test
  void descriptorsNobodyReceivedAreGoneWithTheSocket() throws IOException {
    List<String> before = openWithConnection("send", "x");
    try (Background passer = peer.start(path, SocketType.STREAM, "many", "x", "100", "eof")) {
      UnixSocket socket = listener.accept(LONG).orElseThrow();
      assertThat(socket.awaitHangup(Duration.ZERO)).isFalse();
      socket.close();
      // The kernel may call it a reset: something was sent that nobody read.
      passer.await(LONG);
    }
    assertThat(OpenFiles.now()).isEqualTo(before);
  }

  @Test
  void aReceiveEndsWithTheBytesThatDescriptorsCameWith() {
    String file = file("f").toString();
    try (Background _ =
            peer.start(
                path,
                SocketType.STREAM,
                "send",
                "before ",
                "pass",
                "one ",
                file,
                "pass",
                "two ",
                file + "," + file,
                "send",
                "after");
        UnixSocket socket = listener.accept(LONG).orElseThrow()) {
      StringBuilder all = new StringBuilder();
      while (all.length() < "before one two after".length()) {
        try (Received received = socket.receive(100, 4, LONG).orElseThrow()) {
          all.append(new String(received.bytes(), UTF_8));
          switch (received.descriptors().size()) {
            case 0 -> assertThat(all.toString()).isIn("before ", "before one two after");
            case 1 -> assertThat(all).hasToString("before one ");
            default -> assertThat(all).hasToString("before one two ");
          }
        }
      }
    }
  }

  @Test
  void aConnectedSocketIsPassedAndAdopted() {
    List<UnixSocket> carrier = UnixSocket.pair(SocketType.STREAM);
    List<Fd> pair = SocketCalls.pair(SocketType.SEQPACKET);
    carrier.getFirst().send(new byte[1], LONG, pair.getFirst().number());
    pair.getFirst().close();
    try (Received received = carrier.getLast().receive(1, 1, LONG).orElseThrow();
        UnixSocket passed = UnixSocket.adopt(received.descriptors().getFirst());
        UnixSocket stayed = UnixSocket.adopt(pair.getLast())) {
      stayed.send("hello".getBytes(UTF_8), LONG);
      assertThat(passed.receive(10, 0, LONG).orElseThrow().bytes()).asString().isEqualTo("hello");
    }
    carrier.forEach(UnixSocket::close);
  }

  /** What is open once everything that a connection needs has been used. */
  private List<String> openWithConnection(String... steps) throws IOException {
    try (Background _ = peer.start(path, SocketType.STREAM, steps);
        UnixSocket socket = listener.accept(LONG).orElseThrow();
        Received received = socket.receive(10, 10, LONG).orElseThrow()) {
      assertThat(received.bytes()).hasSize(1);
    }
    return OpenFiles.now();
  }

  private Path file(String name) {
    try {
      return Files.writeString(directory.resolve(name), name);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<Fd.FileId> ids(List<Path> files) {
    return files.stream()
        .map(
            file -> {
              try (Fd fd = Fd.open(file, Fd.O_RDONLY, 0)) {
                return fd.id();
              }
            })
        .toList();
  }

  private static String joined(List<Path> files) {
    return files.stream().map(Path::toString).collect(Collectors.joining(","));
  }

  private static String text(Fd.FileId id) {
    return id.device() + ":" + id.inode();
  }
}
