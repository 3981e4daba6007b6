package io.ocicat.cli.cri;

import io.ocicat.cli.options.Version;
import io.ocicat.cli.pod.PodContext;
import io.ocicat.cli.terminal.PluginMessages;
import io.ocicat.cri.CriServer;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.function.Consumer;

/** The CRI server of a process, with the machine that it serves. Containers outlive it. */
public final class CriProcess implements AutoCloseable {
  private final CriServer server;
  private final PodContext.Open machine;

  private CriProcess(CriServer server, PodContext.Open machine) {
    this.server = server;
    this.machine = machine;
  }

  /**
   * Cleans up after killed processes, then serves.
   *
   * @param log gets one line about the start, and one for everything that went wrong
   */
  public static CriProcess start(
      PodContext context,
      CriOptions options,
      InetSocketAddress streaming,
      PrintWriter err,
      Consumer<String> log) {
    Path run = context.site().folders().run();
    Path socket = options.socket(run);
    PodContext.Open machine =
        context.open(
            options.cni(),
            options.choice(context.site().folders().state()),
            new PluginMessages(err, false));
    try {
      machine.pods().recover().forEach(log);
      machine.containers().recover().forEach(log);
      machine.containers().watch();
      CriServer server =
          CriServer.start(
              new CriServer.Settings(
                  socket, streaming, options.systemd(), Version.build().version()),
              new CriServer.Machine(
                  machine.pods(), machine.networks(), machine.containers(), machine.images().get()),
              log);
      log.accept(
          "serving CRI v1 at %s: %s with %s, streams at %s:%d"
              .formatted(
                  socket,
                  options.runtime(),
                  options.driver(),
                  server.streaming().getAddress().getHostAddress(),
                  server.streaming().getPort()));
      return new CriProcess(server, machine);
    } catch (RuntimeException e) {
      machine.close();
      throw e;
    }
  }

  @Override
  public void close() {
    try (machine) {
      server.close();
    }
  }
}
