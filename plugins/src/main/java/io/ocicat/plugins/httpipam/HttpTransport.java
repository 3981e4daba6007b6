package io.ocicat.plugins.httpipam;

import io.ocicat.base.Deadline;
import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.TraceContext;
import io.ocicat.cni.plugin.Call;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends HTTP requests, retrying temporary failures until the caller's deadline. Belongs to one
 * call; not thread-safe.
 *
 * <p>The client is closed at the end: otherwise a JVM that serves only this call would wait for its
 * selector for a third of a second.
 */
final class HttpTransport implements AutoCloseable {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  private static final Duration CLOSED_WITHIN = Duration.ofMillis(500);

  private final HttpIpamConf conf;
  private final Deadline deadline;
  private final Optional<TraceContext> trace;
  private final HttpClient http;

  HttpTransport(Call call, HttpIpamConf conf) {
    this.conf = conf;
    this.deadline = call.deadline().atMost(HttpIpamConf.LONGEST);
    this.trace = call.trace();
    // No proxies or redirects: the token is only for the configured server.
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(conf.connectTimeout())
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .sslContext(TrustedCertificates.context(conf))
            .build();
  }

  ServerResponse send(String method, String path, @Nullable ObjectNode body) {
    return send(method, path, body, Map.of());
  }

  /**
   * Sends the same request until it is answered.
   *
   * @throws CniException with code 11 when that takes too long or too many attempts
   */
  ServerResponse send(
      String method, String path, @Nullable ObjectNode body, Map<String, String> headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(conf.server() + path))
            .method(method, publisher(body))
            .setHeader("Accept", "application/json")
            .setHeader("Authorization", conf.token().authorization())
            .setHeader("X-Request-Id", UUID.randomUUID().toString());
    headers.forEach(request::setHeader);
    trace.ifPresent(span -> request.setHeader("traceparent", span.traceparent()));
    if (body != null) {
      request.setHeader("Content-Type", "application/json");
    }
    String what = method + " " + conf.server() + path;
    String last = "there was no time left to ask";
    for (int attempt = 1; ; attempt++) {
      Duration pause = pause(attempt);
      Duration limit = shorter(conf.timeout(), deadline.remaining());
      if (limit.isPositive()) {
        try {
          ServerResponse answer = exchange(request, limit, what);
          if (!answer.isPassing()) {
            return answer;
          }
          last = answer.describe();
          pause = answer.retryAfter().isPositive() ? answer.retryAfter() : pause;
        } catch (IOException | TimeoutException e) {
          if (isCertificateFailure(e)) {
            throw new CniException(
                ErrorCode.INVALID_NETWORK_CONFIG,
                "no trust in the IPAM server %s: %s".formatted(conf.server(), e.getMessage()),
                "name the certificate of its authority in ipam.caFile");
          }
          last = reason(e, limit);
        }
      }
      if (attempt > conf.retries() || pause.compareTo(deadline.remaining()) >= 0) {
        throw new CniException(
            ErrorCode.TRY_AGAIN_LATER,
            "cannot reach the IPAM server %s: %s".formatted(conf.server(), last),
            "%s, attempts: %d; is the server running, and is ipam.serverURL right?"
                .formatted(what, attempt));
      }
      sleep(pause);
    }
  }

  private static BodyPublisher publisher(@Nullable ObjectNode body) {
    return body == null
        ? BodyPublishers.noBody()
        : BodyPublishers.ofByteArray(Json.compactBytes(body));
  }

  /**
   * One attempt. The client's own timeout ends once the response header has arrived; this one
   * covers the whole response.
   *
   * <p>It runs in a thread of its own rather than with {@code sendAsync}, which completes the
   * response in the common pool: a worker of that pool that is started here stays in this network
   * namespace for the lifetime of the process, and serves others from there.
   */
  private ServerResponse exchange(HttpRequest.Builder request, Duration limit, String what)
      throws IOException, TimeoutException {
    HttpRequest asked = request.timeout(limit).build();
    FutureTask<HttpResponse<byte[]>> answer =
        new FutureTask<>(() -> http.send(asked, _ -> new BoundedBody(ServerResponse.MAX_BYTES)));
    Thread.ofPlatform().daemon().name("ipam request").start(answer);
    try {
      HttpResponse<byte[]> response = answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      return new ServerResponse(
          what,
          response.statusCode(),
          new String(response.body(), StandardCharsets.UTF_8),
          response.body().length > ServerResponse.MAX_BYTES,
          retryAfter(response.headers().firstValue("Retry-After").orElse("")),
          response.statusCode() / 100 == 3
              ? response.headers().firstValue("Location").orElse("nowhere")
              : "",
          conf.token());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("asking the IPAM server failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw interrupted(e);
    } finally {
      answer.cancel(true);
    }
  }

  /** In seconds; a date is not worth supporting. */
  private static Duration retryAfter(String text) {
    try {
      return Duration.ofSeconds(Math.max(0, Integer.parseInt(text.strip())));
    } catch (NumberFormatException _) {
      return Duration.ZERO;
    }
  }

  /** Exponential, with jitter, so that nodes that failed together do not retry together. */
  private static Duration pause(int attempt) {
    Duration doubled =
        shorter(FIRST_PAUSE.multipliedBy(1L << Math.min(attempt - 1, 10)), LONGEST_PAUSE);
    return doubled.plusMillis(ThreadLocalRandom.current().nextLong(doubled.toMillis() / 2));
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private static void sleep(Duration pause) {
    try {
      Thread.sleep(pause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw interrupted(e);
    }
  }

  private static CniException interrupted(InterruptedException e) {
    return new CniException(
        ErrorCode.TRY_AGAIN_LATER, "interrupted while asking the IPAM server", e);
  }

  /** The TLS failures that a retry cannot change. */
  private static boolean isCertificateFailure(Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException || cause instanceof SSLPeerUnverifiedException) {
        return true;
      }
    }
    return false;
  }

  private String reason(Exception failure, Duration limit) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnresolvedAddressException) {
        return "the name %s has no address".formatted(conf.server().getHost());
      }
    }
    return switch (failure) {
      case HttpConnectTimeoutException _ ->
          "no connection within %d ms".formatted(conf.connectTimeout().toMillis());
      case HttpTimeoutException _, TimeoutException _ ->
          "no answer within %d ms".formatted(limit.toMillis());
      case ConnectException e when e.getMessage() == null -> "connection refused";
      default ->
          failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    };
  }

  @Override
  public void close() {
    http.shutdownNow();
    try {
      boolean _ = http.awaitTermination(CLOSED_WITHIN);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
