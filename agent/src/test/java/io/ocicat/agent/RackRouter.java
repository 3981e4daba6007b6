package io.ocicat.agent;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A router in the rack that is not ours: a BIRD that people have configured. */
final class RackRouter implements AutoCloseable {
  private final Host host;
  private final Path configuration;
  private final Path socket;
  private @Nullable Background process;

  RackRouter(Host host, Path folder) {
    this.host = host;
    this.configuration = folder.resolve("bird.conf");
    this.socket = folder.resolve("bird.ctl");
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void start(String text) {
    try {
      Files.writeString(configuration, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    process =
        host.start(
            "bird",
            "-f",
            "-c",
            configuration.toString(),
            "-s",
            socket.toString(),
            "-P",
            socket.resolveSibling("bird.pid").toString());
  }

  /** What BIRD answers to a command. */
  String ask(String... command) {
    return ask(host, socket, command);
  }

  /** What the BIRD at a socket answers. */
  static String ask(Host host, Path socket, String... command) {
    String[] argv = new String[command.length + 3];
    argv[0] = "birdc";
    argv[1] = "-s";
    argv[2] = socket.toString();
    System.arraycopy(command, 0, argv, 3, command.length);
    return host.tryExec(argv).stdout();
  }

  @Override
  public void close() {
    if (process != null) {
      process.close();
    }
  }
}
