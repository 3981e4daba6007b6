package io.ocicat.cri;

import io.ocicat.cri.grpc.RpcServer;
import io.ocicat.cri.service.CriParts;
import io.ocicat.cri.service.ImageService;
import io.ocicat.cri.service.RuntimeService;
import io.ocicat.cri.streaming.StreamingServer;
import io.ocicat.image.ImageStore;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.network.PodNetworks;
import io.ocicat.sandbox.pods.PodSandboxes;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * A CRI server on a Unix socket, with its streaming server. What it serves is not its own: closing
 * it ends calls, and neither containers nor their owner.
 */
public final class CriServer implements AutoCloseable {
  private static final Duration CALLS_END_WITHIN = Duration.ofSeconds(30);

  private final RpcServer calls;
  private final StreamingServer streams;

  private CriServer(RpcServer calls, StreamingServer streams) {
    this.calls = calls;
    this.streams = streams;
  }

  /**
   * Where and what to serve.
   *
   * @param streaming on loopback; port 0 for any
   * @param systemdCgroups whether systemd makes the cgroups
   * @param version of this program
   */
  public record Settings(
      Path socket, InetSocketAddress streaming, boolean systemdCgroups, String version) {}

  /** The machine that is served. */
  public record Machine(
      PodSandboxes sandboxes, PodNetworks networks, Containers containers, ImageStore images) {}

  /**
   * Serves until it is closed.
   *
   * @param log is told of what should not happen, one line each
   */
  public static CriServer start(Settings settings, Machine machine, Consumer<String> log) {
    Clock clock = Clock.systemUTC();
    StreamingServer streams =
        StreamingServer.start(
            settings.streaming(), new PodStreams(machine.sandboxes(), machine.containers()), clock);
    try {
      CriParts parts =
          new CriParts(
              machine.sandboxes(),
              machine.networks(),
              machine.containers(),
              machine.images(),
              settings.systemdCgroups(),
              settings.version(),
              streams::address,
              clock);
      return new CriServer(
          RpcServer.start(
              settings.socket(),
              List.of(RuntimeService.of(parts, log), ImageService.of(parts, log))),
          streams);
    } catch (RuntimeException e) {
      streams.close();
      throw e;
    }
  }

  /** Where streams are served. */
  public InetSocketAddress streaming() {
    return streams.listening();
  }

  /** Accepts no more calls, lets those under way finish, and ends streams. */
  @Override
  public void close() {
    calls.stop(CALLS_END_WITHIN);
    try {
      streams.close();
    } finally {
      calls.close();
    }
  }
}
