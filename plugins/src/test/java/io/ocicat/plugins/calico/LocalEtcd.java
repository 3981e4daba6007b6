package io.ocicat.plugins.calico;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;

/** Debian's etcd on loopback, with data of its own. */
public final class LocalEtcd implements AutoCloseable {
  private final Background process;
  private final String url;

  private LocalEtcd(Background process, String url) {
    this.process = process;
    this.url = url;
  }

  public static LocalEtcd start(Path data) {
    int port = freePort();
    int peer = freePort();
    String url = "http://127.0.0.1:" + port;
    Background process =
        Command.of(
                "etcd",
                "--data-dir",
                data.toString(),
                "--unsafe-no-fsync",
                "--listen-client-urls",
                url,
                "--advertise-client-urls",
                url,
                "--listen-peer-urls",
                "http://127.0.0.1:" + peer,
                "--initial-advertise-peer-urls",
                "http://127.0.0.1:" + peer,
                "--initial-cluster",
                "default=http://127.0.0.1:" + peer)
            .start();
    Eventually.await("etcd", Duration.ofSeconds(20), () -> answers(port));
    return new LocalEtcd(process, url);
  }

  public String url() {
    return url;
  }

  public static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean answers(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException _) {
      return false;
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
