package io.ocicat.plugins.httpipam;

import io.ocicat.base.json.Json;
import io.ocicat.ipamserver.IpamServer;
import io.ocicat.ipamserver.KeyStoreFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The reference server on loopback, with its files in a directory of the test's. */
final class RunningServer implements AutoCloseable {
  static final String TOKEN = "e463937d15576af58ae7a7040807c018";
  static final String POOLS =
      """
      {"cooldownSeconds": 0, "pools": [
        {"name": "mynet", "ranges": [{"subnet": "10.9.0.0/24", "rangeStart": "10.9.0.5"}],
         "routes": [{"dst": "10.99.0.0/16"}], "dns": {"nameservers": ["10.9.0.2"]}},
        {"name": "tiny", "ranges": [{"subnet": "10.8.0.0/30", "gateway": "none", "rangeEnd": "10.8.0.1"}]},
        {"name": "both", "ranges": [{"subnet": "10.7.0.0/24"}, {"subnet": "fd00:7::/64"}]},
        {"name": "uneven", "ranges": [{"subnet": "10.6.0.0/24", "rangeEnd": "10.6.0.2"}, {"subnet": "fd00:6::/64"}]}]}
      """;

  private final Path directory;
  private final @Nullable KeyStoreFile tls;
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-01-05T10:00:00Z"));
  private @Nullable IpamServer server;
  private int port;

  RunningServer(Path directory, @Nullable KeyStoreFile tls) {
    this.directory = directory;
    this.tls = tls;
    write("pools.json", POOLS);
    write("tokens", TOKEN);
    start();
  }

  RunningServer(Path directory) {
    this(directory, null);
  }

  /** On its previous port, if it ran before. */
  void start() {
    server =
        IpamServer.start(
            new IpamServer.Settings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                directory.resolve("ipam.db"),
                directory.resolve("tokens"),
                directory.resolve("pools.json"),
                tls,
                now::get,
                _ -> {}));
    port = server.address().getPort();
  }

  void stop() {
    if (server != null) {
      server.close();
    }
  }

  void passSeconds(long seconds) {
    now.updateAndGet(instant -> instant.plusSeconds(seconds));
  }

  String url() {
    return "%s://127.0.0.1:%d".formatted(tls == null ? "http" : "https", port);
  }

  void write(String file, String text) {
    try {
      Files.writeString(directory.resolve(file), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  ObjectNode config() {
    return config(url());
  }

  /** A network whose addresses come from the server; tests add their members to {@code ipam}. */
  static ObjectNode config(String url) {
    ObjectNode config =
        Json.object().put("cniVersion", "1.1.0").put("name", "mynet").put("type", "bridge");
    config
        .putObject("ipam")
        .put("type", "ipam")
        .put("serverURL", url)
        .put("token", TOKEN)
        .put("node", "n1");
    return config;
  }

  @Override
  public void close() {
    stop();
  }
}
