package io.ocicat.daemon;

import io.ocicat.cni.exec.PluginReply;
import io.ocicat.daemon.wire.FilesystemView;
import io.ocicat.daemon.wire.WireReply;
import io.ocicat.daemon.wire.WireRequest;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Received;
import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixSocket;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Talks to a daemon as the shim does, but for what a test wants otherwise.
 *
 * @param limit how long the caller waits, as it tells the daemon
 */
record JavaClient(Installation ocicat, Duration limit) {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  JavaClient(Installation ocicat) {
    this(ocicat, LIMIT);
  }

  UnixSocket connect() {
    return UnixSocket.connect(ocicat.run().resolve("ocicatd.sock"), SocketType.STREAM, LIMIT);
  }

  /** Makes a call of a process that was started at some moment. */
  PluginReply call(Command call, Host host, Host container, long startedNanos) {
    String plugin = Path.of(call.argv().getLast()).getFileName().toString();
    WireReply answer = ask(call, plugin, host, container, startedNanos);
    if (answer instanceof WireReply.Done(PluginReply reply)) {
      return reply;
    }
    throw new AssertionError("the daemon answers " + answer);
  }

  WireReply ask(Command call, String plugin, Host host, Host container, long startedNanos) {
    try (UnixSocket socket = connect();
        Fd own = Fd.open(host.path(), Fd.O_RDONLY, 0);
        Fd netns = Fd.open(container.path(), Fd.O_RDONLY, 0)) {
      WireRequest request =
          new WireRequest(
              plugin,
              call.environment(),
              call.stdin().getBytes(StandardCharsets.UTF_8),
              limit,
              startedNanos,
              FilesystemView.own(),
              Optional.of(own),
              Optional.of(netns));
      socket.send(request.bytes(), LIMIT, own.number(), netns.number());
      return answer(socket);
    }
  }

  /** Reads to the end: the daemon closes when it has answered. */
  static WireReply answer(UnixSocket socket) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (Optional<Received> some = socket.receive(1 << 16, 0, LIMIT);
        some.isPresent();
        some = socket.receive(1 << 16, 0, LIMIT)) {
      all.writeBytes(some.get().bytes());
    }
    byte[] bytes = all.toByteArray();
    byte[] working = new WireReply.Working().bytes();
    int at = 0;
    while (at + working.length <= bytes.length
        && java.util.Arrays.equals(bytes, at, at + working.length, working, 0, working.length)) {
      at += working.length;
    }
    return WireReply.parse(java.util.Arrays.copyOfRange(bytes, at, bytes.length));
  }
}
