package io.ocicat.netlink.linux;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Another process at the other end of a Unix socket: see peer.c for its commands. */
final class Peer {
  private final Path program;

  private Peer(Path program) {
    this.program = program;
  }

  /** Compiles it into that directory. */
  static Peer compile(Path directory) throws IOException {
    return new Peer(NativeProgram.compile("peer", directory));
  }

  Background start(Path socket, SocketType type, String... steps) {
    return command(socket, type, steps).start();
  }

  Command command(Path socket, SocketType type, String... steps) {
    List<String> argv = new ArrayList<>();
    argv.add(program.toString());
    argv.add(socket.toString());
    argv.add(type.name().toLowerCase(Locale.ROOT));
    argv.addAll(List.of(steps));
    return Command.of(argv);
  }
}
