package io.ocicat.cri.grpc;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.ocicat.netlink.linux.FileLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A gRPC server on a Unix socket of mode 0600. Every call has a virtual thread, which goes on when
 * the caller has given up: half-done work is worse than work nobody waits for.
 */
public final class RpcServer implements AutoCloseable {
  /** The limit of kubelet and crictl, in both directions. */
  static final int LARGEST_MESSAGE = 16 << 20;

  private static final int MOST_CALLS = 1024;
  private static final long SHORTEST_PING_SECONDS = 5;
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  /** Referenced strongly, because the levels of unreferenced loggers are lost. */
  private static final List<Logger> LOGS =
      List.of(Logger.getLogger("io.grpc"), Logger.getLogger("io.netty"));

  private final Server server;
  private final EventLoopGroup threads;
  private final ExecutorService calls;
  private final FileLock lock;
  private final Path socket;
  private final List<RpcService> services;

  private RpcServer(
      Server server,
      EventLoopGroup threads,
      ExecutorService calls,
      FileLock lock,
      Path socket,
      List<RpcService> services) {
    this.services = List.copyOf(services);
    this.server = server;
    this.threads = threads;
    this.calls = calls;
    this.lock = lock;
    this.socket = socket;
  }

  /**
   * Serves at a path. A socket that a killed server left is replaced.
   *
   * @throws IllegalStateException when another server has it
   */
  public static RpcServer start(Path socket, List<RpcService> services) {
    silenceLog();
    Path directory = directory(socket);
    try {
      Files.createDirectories(directory, PRIVATE);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot create the directory %s: %s".formatted(directory, e.getMessage()), e);
    }
    FileLock lock =
        FileLock.tryAcquire(
                directory.resolve(socket.getFileName() + ".lock"), FileLock.Mode.EXCLUSIVE)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "another server has %s: stop it, or use another --socket"
                            .formatted(socket)));
    EventLoopGroup threads =
        new MultiThreadIoEventLoopGroup(
            1, Thread.ofPlatform().daemon().name("cri-io").factory(), NioIoHandler.newFactory());
    ExecutorService calls =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("cri-", 0).factory());
    try {
      Server server = listen(socket, services, threads, calls);
      return new RpcServer(server, threads, calls, lock, socket, services);
    } catch (IOException e) {
      Future<?> _ = threads.shutdownGracefully(0, 0, TimeUnit.SECONDS);
      calls.close();
      lock.close();
      throw new UncheckedIOException(
          "cannot listen at %s: %s".formatted(socket, e.getMessage()), e);
    }
  }

  /**
   * Binds in a directory that nobody else can enter, so that the socket is never open to others.
   */
  private static Server listen(
      Path socket, List<RpcService> services, EventLoopGroup threads, ExecutorService calls)
      throws IOException {
    Path draft = Files.createTempDirectory(directory(socket), ".", PRIVATE);
    Path bound = draft.resolve("s");
    try {
      NettyServerBuilder builder =
          NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(bound))
              .channelType(NioServerDomainSocketChannel.class)
              .bossEventLoopGroup(threads)
              .workerEventLoopGroup(threads)
              .protocolNegotiator(new RootOnly())
              .executor(calls)
              .maxInboundMessageSize(LARGEST_MESSAGE)
              .maxConcurrentCallsPerConnection(MOST_CALLS)
              .permitKeepAliveTime(SHORTEST_PING_SECONDS, TimeUnit.SECONDS)
              .permitKeepAliveWithoutCalls(true);
      services.forEach(service -> builder.addService(service.definition()));
      Server server = builder.build().start();
      Files.setPosixFilePermissions(bound, PosixFilePermissions.fromString("rw-------"));
      Files.move(bound, socket, StandardCopyOption.ATOMIC_MOVE);
      return server;
    } finally {
      Files.deleteIfExists(bound);
      Files.deleteIfExists(draft);
    }
  }

  private static Path directory(Path socket) {
    Path parent = socket.toAbsolutePath().getParent();
    if (parent == null) {
      throw new IllegalArgumentException(socket + " cannot be a socket");
    }
    return parent;
  }

  /** The libraries log with stack traces what they also report to their caller. */
  private static void silenceLog() {
    for (Logger log : LOGS) {
      if (log.getLevel() == null) {
        log.setLevel(Level.SEVERE);
      }
    }
  }

  /** Accepts no more calls and waits for those under way, which end after the limit anyhow. */
  public void stop(Duration limit) {
    server.shutdown();
    services.forEach(RpcService::stop);
    try {
      if (!server.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        server.shutdownNow();
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + socket, e);
    } finally {
      calls.shutdown();
      Future<?> _ = threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      lock.close();
    }
  }
}
