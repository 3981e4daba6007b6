package io.ocicat.datastore.kubernetes.client;

import io.ocicat.base.Deadline;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.json.StoredJson;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends requests to the API. Reads are retried until they are answered or time out; writes only
 * when they were certainly not applied. Credentials are read again when their files change, and
 * once more when they are rejected. Thread-safe.
 */
public final class ApiClient implements AutoCloseable {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final AccessSource source;
  private final RateLimit limit;
  private final Duration timeout;
  private @Nullable ApiConnection connection;
  private volatile boolean closed;
  private volatile Runnable unknownResource = () -> {};

  /**
   * Creates a client that connects on first use.
   *
   * @param timeout the timeout of a call, with all retries
   */
  public ApiClient(
      DatastoreConfig.Kubernetes config, AccessSource.Environment around, Duration timeout) {
    this.source = new AccessSource(config, around);
    this.limit = new RateLimit(config.qps(), config.burst(), System::nanoTime);
    this.timeout = timeout;
  }

  /**
   * Returns the object that the API answers with.
   *
   * @throws DatastoreException for every error
   */
  public ObjectNode call(ApiCall call) {
    // Loading and reading what the first request needs does not count against its timeout.
    connection();
    RequestCost cost = new RequestCost(call);
    try {
      ObjectNode answer = call(call, cost);
      cost.report(true);
      return answer;
    } catch (RuntimeException e) {
      cost.report(false);
      throw e;
    }
  }

  private ObjectNode call(ApiCall call, RequestCost cost) {
    Deadline deadline = Deadline.in(timeout);
    Duration pause = FIRST_PAUSE;
    boolean refused = false;
    @Nullable TransportFailure earlier = null;
    while (true) {
      ApiConnection used = connection();
      Attempt attempt = attempt(used, call, deadline, cost);
      switch (attempt) {
        case Attempt.Answered(ObjectNode answer) -> {
          return answer;
        }
        case Attempt.Refused(ApiFailure refusal) -> {
          Duration wait = max(pause, refusal.retryAfter());
          if (refusal.isUnknownResource()) {
            unknownResource.run();
          }
          if (refusal.code() == HttpURLConnection.HTTP_UNAUTHORIZED && !refused) {
            refused = true;
            renew(used);
          } else if (refusal.mayBeRepeated() && deadline.allows(wait)) {
            cost.pause(wait, refusal.exception());
          } else {
            throw refusal.exception();
          }
        }
        case Attempt.Lost(TransportFailure failure) -> {
          checkOpen();
          if (!failure.mayBeRepeated() || !deadline.allows(pause)) {
            throw failure.clearer(earlier).exception();
          }
          earlier = failure;
          cost.pause(pause, failure.exception());
        }
      }
      pause = longer(pause);
    }
  }

  /** Registers an action for when the API does not know a resource type at all. */
  public void onUnknownResource(Runnable action) {
    unknownResource = action;
  }

  private static Duration max(Duration a, Duration b) {
    return a.compareTo(b) > 0 ? a : b;
  }

  public static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
  }

  private Attempt attempt(ApiConnection used, ApiCall call, Deadline deadline, RequestCost cost) {
    cost.await(limit, deadline, timeout);
    cost.send();
    try {
      HttpResponse<byte[]> response =
          exchange(used, call, HttpResponse.BodyHandlers.ofByteArray(), deadline);
      String text = new String(response.body(), StandardCharsets.UTF_8);
      return response.statusCode() / 100 == 2
          ? new Attempt.Answered(parse(call, text))
          : new Attempt.Refused(ApiFailure.of(used.access(), call, response, text));
    } catch (IOException e) {
      return new Attempt.Lost(new TransportFailure(used.access(), call, e));
    }
  }

  private static ObjectNode parse(ApiCall call, String text) {
    try {
      return StoredJson.parseObject(text);
    } catch (IllegalArgumentException e) {
      throw new CorruptException(
          "the answer of the Kubernetes API to %s cannot be read: it is %s"
              .formatted(call.subject(), e.getMessage()),
          e);
    }
  }

  /**
   * The lines of a watch, to be closed by their reader.
   *
   * @param access the access it was opened with
   */
  public record Lines(ApiAccess access, InputStream in) {}

  /**
   * Opens a watch.
   *
   * @throws DatastoreException when the API refuses
   */
  public Lines watch(ApiCall call) {
    connection();
    Deadline deadline = Deadline.in(timeout);
    RequestCost cost = new RequestCost(call);
    boolean refused = false;
    while (true) {
      ApiConnection used = connection();
      cost.await(limit, deadline, timeout);
      try {
        HttpResponse<InputStream> response =
            exchange(used, call, HttpResponse.BodyHandlers.ofInputStream(), deadline);
        if (response.statusCode() == HttpURLConnection.HTTP_OK) {
          return new Lines(used.access(), response.body());
        }
        try (InputStream body = response.body()) {
          String text = new String(body.readNBytes(1 << 16), StandardCharsets.UTF_8);
          if (response.statusCode() != HttpURLConnection.HTTP_UNAUTHORIZED || refused) {
            throw ApiFailure.of(used.access(), call, response, text).exception();
          }
        }
      } catch (IOException e) {
        throw new TransportFailure(used.access(), call, e).exception();
      }
      refused = true;
      renew(used);
    }
  }

  /** HttpClient's own timeout ends with the headers; this one includes the body. */
  private <T> HttpResponse<T> exchange(
      ApiConnection used, ApiCall call, HttpResponse.BodyHandler<T> handler, Deadline deadline)
      throws IOException {
    Duration left = deadline.remaining().plusMillis(1);
    CompletableFuture<HttpResponse<T>> answer =
        used.client().sendAsync(used.request(call, left), handler);
    try {
      return answer.get(left.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new IOException("no answer within %d ms".formatted(left.toMillis()), e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException e) {
      checkOpen();
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    }
  }

  private synchronized ApiConnection connection() {
    checkOpen();
    ApiConnection known = connection;
    return known != null && known.isFresh() ? known : connect(known);
  }

  /** Reads credentials again, unless another thread has done so meanwhile. */
  private synchronized void renew(ApiConnection refused) {
    checkOpen();
    if (refused.equals(connection)) {
      connect(refused);
    }
  }

  private ApiConnection connect(@Nullable ApiConnection before) {
    ApiAccess access = source.read();
    ApiConnection now;
    if (before != null && access.connectsAs(before.access())) {
      now = before.renewed(access);
    } else {
      now = ApiConnection.of(access);
      if (before != null) {
        // Calls under way may finish.
        before.client().shutdown();
      }
    }
    connection = now;
    return now;
  }

  public void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the datastore is closed");
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (connection != null) {
      connection.client().shutdownNow();
      connection = null;
    }
  }

  /** The result of one attempt. */
  private sealed interface Attempt {
    record Answered(ObjectNode answer) implements Attempt {}

    record Refused(ApiFailure refusal) implements Attempt {}

    record Lost(TransportFailure failure) implements Attempt {}
  }
}
