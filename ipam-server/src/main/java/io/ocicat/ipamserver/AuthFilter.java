package io.ocicat.ipamserver;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Authenticates requests by token, and ensures that every request is answered and logged: one line
 * with method, path, status and request id, never a header or a body. Closing it waits for requests
 * under way; the JDK's server waits, too, but not reliably. Thread-safe.
 */
final class AuthFilter implements HttpHandler, AutoCloseable {
  /** How long requests under way have to finish on close. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private static final int MANY = 1 << 20;
  private static final String SCHEME = "Bearer ";
  private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._-]{1,128}");

  private final TokenFile tokens;
  private final AllocationApi api;
  private final Consumer<String> log;
  private final Semaphore room = new Semaphore(MANY);
  private volatile boolean closing;

  AuthFilter(TokenFile tokens, AllocationApi api, Consumer<String> log) {
    this.tokens = tokens;
    this.api = api;
    this.log = log;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    room.acquireUninterruptibly();
    try (exchange) {
      ApiRequest request = new ApiRequest(exchange);
      String id =
          request
              .header("X-Request-Id")
              .filter(text -> REQUEST_ID.matcher(text).matches())
              .orElseGet(() -> UUID.randomUUID().toString());
      ApiResponse answer = answer(request, id);
      log.accept(
          "%s %s %d %s"
              .formatted(
                  Quoted.brief(request.method()),
                  Quoted.brief(String.valueOf(exchange.getRequestURI().getRawPath())),
                  answer.status(),
                  id));
      send(exchange, answer, id);
    } finally {
      room.release();
    }
  }

  private ApiResponse answer(ApiRequest request, String id) throws IOException {
    try {
      String credentials = request.header("Authorization").orElse("");
      if (!credentials.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
        throw ApiError.unauthorized("the request has no bearer token");
      }
      if (!tokens.accept(credentials.substring(SCHEME.length()).strip())) {
        throw ApiError.unauthorized("the bearer token is not known here");
      }
      if (closing) {
        throw ApiError.unavailable("the server is shutting down");
      }
      return api.answer(request);
    } catch (ApiError refusal) {
      return ApiResponse.of(refusal);
    } catch (StoreException e) {
      log.accept("request %s: %s".formatted(id, e.getMessage()));
      return ApiResponse.of(ApiError.unavailable(String.valueOf(e.getMessage())));
    } catch (RuntimeException e) {
      log.accept("request %s: %s at %s".formatted(id, e, e.getStackTrace()[0]));
      return ApiResponse.of(ApiError.internal("something is wrong with the server: see its log"));
    }
  }

  private static void send(HttpExchange exchange, ApiResponse answer, String id)
      throws IOException {
    exchange.getResponseHeaders().set("X-Request-Id", id);
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    if (answer.status() == 401) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
    }
    if (answer.status() == 413) {
      // The rest of the body is not worth reading.
      exchange.getResponseHeaders().set("Connection", "close");
    }
    if (answer.body() == null) {
      exchange.sendResponseHeaders(answer.status(), -1);
      return;
    }
    byte[] body = Json.compactBytes(answer.body());
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(answer.status(), body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    closing = true;
    try {
      if (!room.tryAcquire(MANY, GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
        log.accept("some requests are cut off: they took longer than " + GRACE);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
