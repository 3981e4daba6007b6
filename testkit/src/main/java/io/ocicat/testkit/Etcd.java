package io.ocicat.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;

/** Debian's etcd on a port of its own of loopback, for those who need one and no more. */
public final class Etcd implements AutoCloseable {
  private static final Duration STARTED_WITHIN = Duration.ofSeconds(60);

  private final Background process;
  private final String url;

  private Etcd(Background process, String url) {
    this.process = process;
    this.url = url;
  }

  /** Starts one that keeps its data in {@code directory}, and waits until it serves. */
  public static Etcd start(Path directory) {
    String url = "http://127.0.0.1:" + freePort();
    String peerUrl = "http://127.0.0.1:" + freePort();
    Etcd etcd =
        new Etcd(
            Command.of(
                    "etcd",
                    "--data-dir",
                    directory.toString(),
                    "--listen-client-urls",
                    url,
                    "--advertise-client-urls",
                    url,
                    "--listen-peer-urls",
                    peerUrl,
                    "--initial-advertise-peer-urls",
                    peerUrl,
                    "--initial-cluster",
                    "default=" + peerUrl,
                    "--bcrypt-cost",
                    "4",
                    "--log-level",
                    "error")
                .start(),
            url);
    Eventually.await("etcd to start", STARTED_WITHIN, etcd::isHealthy);
    return etcd;
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String url() {
    return url;
  }

  private boolean isHealthy() {
    try {
      return send(HttpRequest.newBuilder(URI.create(url + "/health"))).contains("true");
    } catch (UncheckedIOException _) {
      return false;
    }
  }

  /** Asks etcd's JSON gateway, as in {@code post("auth/enable", "{}")}. */
  public String post(String path, String json) {
    return send(
        HttpRequest.newBuilder(URI.create(url + "/v3/" + path))
            .POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  private static String send(HttpRequest.Builder request) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              request.timeout(Duration.ofSeconds(10)).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("interrupted while asking etcd", e);
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
