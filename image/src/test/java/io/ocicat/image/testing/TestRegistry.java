package io.ocicat.image.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.ocicat.image.Digest;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A registry on loopback that serves images from memory and misbehaves on demand. Faults concern
 * requests whose path contains a text, a number of times.
 */
public final class TestRegistry implements AutoCloseable {
  private static final Pattern PATH =
      Pattern.compile("/v2/(?<repository>.+)/(?<kind>manifests|blobs)/(?<name>[^/]+)");

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, byte[]> manifests = new ConcurrentHashMap<>();
  private final Map<String, byte[]> blobs = new ConcurrentHashMap<>();
  private final List<Fault> faults = new CopyOnWriteArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private String wanted = "";
  private boolean bearer;

  /** Answers in place of the registry. */
  @FunctionalInterface
  public interface Answer {
    void to(HttpExchange exchange, byte[] content) throws IOException;
  }

  private record Fault(String path, AtomicInteger times, Answer answer) {}

  /** Without TLS. */
  public TestRegistry() {
    this(null);
  }

  /** With TLS, if a context is given. */
  public TestRegistry(@Nullable SSLContext tls) {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try {
      if (tls == null) {
        server = HttpServer.create(anyPort, 0);
      } else {
        HttpsServer encrypted = HttpsServer.create(anyPort, 0);
        encrypted.setHttpsConfigurator(new HttpsConfigurator(tls));
        server = encrypted;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  /** Host and port, as in names of images. */
  public String address() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  /** Serves an image under a name such as {@code test:1}; returns its complete name. */
  public String push(String name, TestImage image) {
    return push(name, image, image.manifest());
  }

  /** The same with an index, or anything else, in place of the manifest. */
  public String push(String name, TestImage image, byte[] top) {
    String repository = name.substring(0, name.indexOf(':'));
    manifests.put(repository + "/" + name.substring(name.indexOf(':') + 1), top);
    manifests.put(repository + "/" + Digest.of(top), top);
    manifests.put(repository + "/" + image.digest(), image.manifest());
    image.layers().forEach(layer -> blobs.put(layer.toString(), image.blob(layer)));
    blobs.put(image.id().toString(), image.configBytes());
    return address() + "/" + name;
  }

  /** Answers the next requests whose path contains the text in another way. */
  public TestRegistry fault(String path, int times, Answer answer) {
    faults.add(new Fault(path, new AtomicInteger(times), answer));
    return this;
  }

  /** Wants name and password, directly or in exchange for a token. */
  public TestRegistry login(String user, String password, boolean byToken) {
    wanted = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(UTF_8));
    bearer = byToken;
    return this;
  }

  /** Method, path and the headers Range and Authorization of what was asked so far. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      requests.add(
          "%s %s %s %s"
              .formatted(
                  exchange.getRequestMethod(),
                  exchange.getRequestURI(),
                  header(exchange, "Range"),
                  header(exchange, "Authorization")));
      byte[] content = content(path);
      for (Fault fault : faults) {
        if (path.contains(fault.path()) && fault.times().getAndDecrement() > 0) {
          fault.answer().to(exchange, content);
          return;
        }
      }
      if (path.equals("/token")) {
        token(exchange);
      } else if (isAllowed(exchange)) {
        send(exchange, content);
      }
    } catch (IOException e) {
      // The client went away, as many tests make it do.
      exchange.close();
    }
  }

  private static String header(HttpExchange exchange, String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "-" : value;
  }

  private byte[] content(String path) {
    Matcher parts = PATH.matcher(path);
    if (!parts.matches()) {
      return new byte[0];
    }
    byte[] found =
        parts.group("kind").equals("blobs")
            ? blobs.get(parts.group("name"))
            : manifests.get(parts.group("repository") + "/" + parts.group("name"));
    return found == null ? new byte[0] : found;
  }

  private boolean isAllowed(HttpExchange exchange) throws IOException {
    String given = header(exchange, "Authorization");
    if (wanted.isEmpty() || given.equals(bearer ? "Bearer t0ken" : "Basic " + wanted)) {
      return true;
    }
    exchange
        .getResponseHeaders()
        .add(
            "WWW-Authenticate",
            bearer
                ? "Bearer realm=\"http://%s/token\",service=\"test, registry\",scope=\"repository:a:pull\""
                    .formatted(address())
                : "Basic realm=\"test\"");
    exchange.sendResponseHeaders(401, -1);
    return false;
  }

  private void token(HttpExchange exchange) throws IOException {
    boolean known =
        header(exchange, "Authorization").equals("Basic " + wanted)
            || new String(exchange.getRequestBody().readAllBytes(), UTF_8)
                .contains("refresh_token=identity");
    byte[] body = "{\"access_token\":\"t0ken\",\"expires_in\":60}".getBytes(UTF_8);
    exchange.sendResponseHeaders(known ? 200 : 401, known ? body.length : -1);
    if (known) {
      exchange.getResponseBody().write(body);
    }
  }

  /** As a registry should, with ranges. */
  public static void send(HttpExchange exchange, byte[] content) throws IOException {
    if (content.length == 0) {
      exchange.sendResponseHeaders(404, -1);
      return;
    }
    String range = header(exchange, "Range");
    int from = range.startsWith("bytes=") ? Integer.parseInt(range.replaceAll("[^0-9]", "")) : 0;
    if (from > 0) {
      exchange
          .getResponseHeaders()
          .add(
              "Content-Range",
              "bytes %d-%d/%d".formatted(from, content.length - 1, content.length));
    }
    exchange.sendResponseHeaders(from > 0 ? 206 : 200, content.length - from);
    exchange.getResponseBody().write(content, from, content.length - from);
  }

  /** Announces all, sends a part, and cuts the connection. */
  public static Answer cutAfter(int bytes) {
    return (exchange, content) -> {
      String range = header(exchange, "Range");
      int from = range.startsWith("bytes=") ? Integer.parseInt(range.replaceAll("[^0-9]", "")) : 0;
      byte[] rest = Arrays.copyOfRange(content, from, content.length);
      if (from > 0) {
        exchange
            .getResponseHeaders()
            .add(
                "Content-Range",
                "bytes %d-%d/%d".formatted(from, content.length - 1, content.length));
      }
      exchange.sendResponseHeaders(from > 0 ? 206 : 200, rest.length);
      OutputStream out = exchange.getResponseBody();
      out.write(rest, 0, Math.min(bytes, rest.length));
      out.flush();
      throw new IOException("cut");
    };
  }

  public static Answer status(int status) {
    return (exchange, _) -> exchange.sendResponseHeaders(status, -1);
  }

  /** Sends something else. */
  public static Answer lie(byte[] other) {
    return (exchange, _) -> {
      exchange.sendResponseHeaders(200, other.length);
      exchange.getResponseBody().write(other);
    };
  }

  /** Sends the beginning and then nothing more, for as long as the registry is open. */
  public static Answer stall(int bytes) {
    return (exchange, content) -> {
      exchange.sendResponseHeaders(200, content.length);
      exchange.getResponseBody().write(content, 0, bytes);
      exchange.getResponseBody().flush();
      try {
        Thread.sleep(60_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    };
  }

  public static Answer redirect(String location) {
    return (exchange, _) -> {
      exchange.getResponseHeaders().add("Location", location);
      exchange.sendResponseHeaders(307, -1);
    };
  }

  @Override
  public void close() {
    threads.shutdownNow();
    server.stop(0);
  }
}
