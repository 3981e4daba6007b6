package io.ocicat.bench;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.UnavailableException;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.etcd.EtcdStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Debian's etcd on loopback, for the time of a benchmark. */
final class BenchEtcd implements AutoCloseable {
  private static final Duration STARTED_WITHIN = Duration.ofSeconds(20);

  private final Process process;
  private final String url;

  private BenchEtcd(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  static BenchEtcd start(Path directory) throws IOException, InterruptedException {
    String url = "http://127.0.0.1:" + freePort();
    String peer = "http://127.0.0.1:" + freePort();
    Process process =
        new ProcessBuilder(
                "etcd",
                "--data-dir",
                directory.toString(),
                "--listen-client-urls",
                url,
                "--advertise-client-urls",
                url,
                "--listen-peer-urls",
                peer,
                "--initial-advertise-peer-urls",
                peer,
                "--initial-cluster",
                "default=" + peer,
                "--log-level",
                "error")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    BenchEtcd etcd = new BenchEtcd(process, url);
    long end = System.nanoTime() + STARTED_WITHIN.toNanos();
    while (System.nanoTime() < end) {
      try {
        etcd.open().close();
        return etcd;
      } catch (UnavailableException _) {
        Thread.sleep(100);
      }
    }
    etcd.close();
    throw new IllegalStateException("etcd does not start: is etcd-server installed?");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  Datastore open() {
    return EtcdStore.openDatastore(config());
  }

  private DatastoreConfig.Etcd config() {
    return new DatastoreConfig.Etcd(List.of(url), "", "", new Secret(""), DatastoreConfig.Tls.NONE);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
