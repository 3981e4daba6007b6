package io.ocicat.ipamserver;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The reference server of the HTTP IPAM protocol: pools from a file, allocations in an SQLite
 * database, a virtual thread per request. Closing it ends the requests under way, then closes the
 * database. Thread-safe.
 */
public final class IpamServer implements AutoCloseable {
  /**
   * The JDK's server reads its limits from properties only, and once. A client that does not
   * transfer its request or response within these seconds is cut off, including one that sends
   * nothing; small responses are sent at once. Beyond the limit of connections the server closes
   * new ones without a response, so the limit is far above what idle clients can hold in that time
   * without being noticed.
   */
  private static final Map<String, String> LIMITS =
      Map.of(
          "sun.net.httpserver.maxReqTime", "10",
          "sun.net.httpserver.idleInterval", "10",
          "sun.net.httpserver.maxRspTime", "30",
          "sun.net.httpserver.nodelay", "true",
          "jdk.httpserver.maxConnections", "16384");

  /**
   * The settings of a server.
   *
   * @param tls null for plain HTTP
   * @param log receives log lines
   */
  public record Settings(
      InetSocketAddress listen,
      Path database,
      Path tokenFile,
      Path pools,
      @Nullable KeyStoreFile tls,
      InstantSource clock,
      Consumer<String> log) {}

  /**
   * Nodes that start together send requests together. With Java's 50 the kernel answers the rest
   * with SYN cookies, and resets connections that are not accepted in time.
   */
  private static final int BACKLOG = 1024;

  private final HttpServer server;
  private final AuthFilter filter;
  private final ExecutorService threads;
  private final Allocations allocations;
  private final AtomicBoolean closed = new AtomicBoolean();

  private IpamServer(
      HttpServer server, AuthFilter filter, ExecutorService threads, Allocations allocations) {
    this.server = server;
    this.filter = filter;
    this.threads = threads;
    this.allocations = allocations;
  }

  /**
   * Starts a server.
   *
   * @throws IpamServerException when a file is unusable or the address is in use
   */
  public static IpamServer start(Settings settings) {
    return start(settings, Supplier::get);
  }

  /**
   * Starts a server in a network of the caller's choice.
   *
   * @param network runs the code that opens the socket where it is to be; nothing else runs there
   */
  public static IpamServer start(
      Settings settings, Function<Supplier<HttpServer>, HttpServer> network) {
    Pools pools = Pools.read(settings.pools());
    TokenFile tokens = TokenFile.read(settings.tokenFile(), settings.log());
    LIMITS.forEach(
        (name, value) -> {
          if (System.getProperty(name) == null) {
            System.setProperty(name, value);
          }
        });
    Allocations allocations =
        new Allocations(pools, AllocationStore.open(settings.database()), settings.clock());
    try {
      HttpServer server = network.apply(() -> listen(settings));
      ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
      server.setExecutor(threads);
      AuthFilter filter = new AuthFilter(tokens, new AllocationApi(allocations), settings.log());
      server.createContext("/", filter);
      server.start();
      return new IpamServer(server, filter, threads, allocations);
    } catch (RuntimeException e) {
      allocations.close();
      throw e;
    }
  }

  private static HttpServer listen(Settings settings) {
    try {
      if (settings.tls() == null) {
        return HttpServer.create(settings.listen(), BACKLOG);
      }
      HttpsServer server = HttpsServer.create(settings.listen(), BACKLOG);
      server.setHttpsConfigurator(new HttpsConfigurator(settings.tls().context()));
      return server;
    } catch (IOException e) {
      throw new IpamServerException(
          "cannot listen on %s: %s".formatted(settings.listen(), e.getMessage()), e);
    }
  }

  /** The listening address; the port is a real one even if 0 was requested. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      filter.close();
      server.stop(0);
      threads.shutdownNow();
      allocations.close();
    }
  }
}
