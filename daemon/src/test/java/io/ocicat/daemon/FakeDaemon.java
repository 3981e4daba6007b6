package io.ocicat.daemon;

import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixListener;
import io.ocicat.netlink.linux.UnixSocket;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Listens where a daemon would, and plays the faulty daemon that a test wants the shim to handle.
 */
final class FakeDaemon implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final UnixListener listener;

  FakeDaemon(Installation ocicat) throws IOException {
    Files.createDirectories(ocicat.run());
    listener = UnixListener.bind(ocicat.run().resolve("ocicatd.sock"), SocketType.STREAM, 0600);
  }

  UnixSocket accept() {
    return listener.accept(LIMIT).orElseThrow();
  }

  /** Makes a call, does something with its connection, and closes that. */
  Output serve(Command call, Consumer<UnixSocket> meeting) {
    return serve(call, meeting, 1);
  }

  /** The same, and again when it comes back. */
  Output serveTwice(Command call, Consumer<UnixSocket> meeting) {
    return serve(call, meeting, 2);
  }

  private Output serve(Command call, Consumer<UnixSocket> meeting, int times) {
    try (Background shim = call.start()) {
      for (int i = 0; i < times; i++) {
        try (UnixSocket caller = accept()) {
          meeting.accept(caller);
        }
      }
      return shim.await(LIMIT);
    }
  }

  /** Makes a call and resets its connections, as often as it comes back. */
  Output reset(Command call, int times) {
    try (Background shim = call.start()) {
      for (int i = 0; i < times; i++) {
        accept().close();
      }
      return shim.await(LIMIT);
    }
  }

  @Override
  public void close() {
    listener.close();
  }
}
