package io.ocicat.datastore.kubernetes.client;

import io.ocicat.base.Deadline;
import io.ocicat.datastore.DatastoreRequest;
import io.ocicat.datastore.RequestListener;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnavailableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Measures one call: the number of attempts, and the time spent waiting. */
public final class RequestCost {
  private final ApiCall call;
  private final long start = System.nanoTime();
  private int attempts;
  private long throttled;
  private long paused;
  private @Nullable DatastoreException lastFailure;

  public RequestCost(ApiCall call) {
    this.call = call;
  }

  /** Counts an attempt. */
  public void send() {
    attempts++;
  }

  /** Waits before a retry. */
  public void pause(Duration time, DatastoreException because) {
    lastFailure = because;
    paused += sleep(time);
  }

  /**
   * Waits for the process's own rate limit. When that takes too long, the error names the rate
   * limit only if it is the cause.
   */
  public void await(RateLimit limit, Deadline deadline, Duration timeout) {
    Duration wait = limit.reserve(deadline.remaining());
    if (wait.isZero() && !deadline.hasPassed()) {
      return;
    }
    if (deadline.allows(wait)) {
      throttled += sleep(wait);
      return;
    }
    DatastoreException failure = lastFailure;
    long waiting = throttled + wait.toNanos();
    if (waiting > timeout.dividedBy(2).toNanos()) {
      throw new UnavailableException(
          "too many requests of our own are waiting to ask the Kubernetes API for %s: it would have waited %d ms for the limit of %s requests a second, raise K8S_CLIENT_QPS and K8S_CLIENT_BURST (qps and burst in CNI configurations)"
              .formatted(call.subject(), Duration.ofNanos(waiting).toMillis(), limit.perSecond()),
          null);
    }
    throw failure != null
        ? failure
        : new UnavailableException(
            "the Kubernetes API was not asked for %s: its timeout of %d ms had already passed"
                .formatted(call.subject(), timeout.toMillis()),
            null);
  }

  private long sleep(Duration time) {
    long from = System.nanoTime();
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException(
          "interrupted while asking the Kubernetes API for " + call.subject(), e);
    }
    return System.nanoTime() - from;
  }

  /** Reports the finished call. */
  public void report(boolean succeeded) {
    RequestListener.report(
        new DatastoreRequest(
            call.describe(), attempts, throttled, paused, succeeded, start, System.nanoTime()));
  }
}
