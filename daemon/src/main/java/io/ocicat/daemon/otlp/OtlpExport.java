package io.ocicat.daemon.otlp;

import io.ocicat.daemon.metrics.BuildInfo;
import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.server.DeclineReason;
import io.ocicat.daemon.server.RepairKind;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.FinishedCall;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sends finished calls to an OpenTelemetry collector, from its own thread. A call is only put into
 * a queue; when that is full, or the collector does not accept it, it is dropped and counted.
 */
public final class OtlpExport implements DaemonEvents, AutoCloseable {
  private static final int MOST_WAITING = 512;
  private static final int MOST_AT_ONCE = 64;
  private static final Duration CONNECT = Duration.ofSeconds(2);
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private record Ended(FinishedCall call, CallTrace trace) {}

  private final BlockingQueue<Ended> queue = new ArrayBlockingQueue<>(MOST_WAITING);
  private final LongAdder dropped = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final SecureRandom random = new SecureRandom();
  private final URI traces;
  private final BuildInfo build;
  private final HttpClient client;
  private final Thread thread;

  private OtlpExport(URI traces, BuildInfo build) {
    this.traces = traces;
    this.build = build;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build();
    this.thread = Thread.ofPlatform().name("otlp").daemon().unstarted(this::export);
  }

  /**
   * Starts sending.
   *
   * @param collector as {@code http://127.0.0.1:4318}; the path of traces is added
   * @throws IllegalArgumentException when it is not a valid address
   */
  public static OtlpExport start(URI collector, BuildInfo build) {
    String scheme = String.valueOf(collector.getScheme());
    if (!scheme.matches("https?") || collector.getHost() == null || collector.getQuery() != null) {
      throw new IllegalArgumentException(
          "\"%s\" is not a collector address: write http://HOST:PORT".formatted(collector));
    }
    String base = collector.toString().replaceFirst("/+$", "");
    OtlpExport export = new OtlpExport(URI.create(base + "/v1/traces"), build);
    export.thread.start();
    return export;
  }

  /** How many calls were dropped. */
  public long dropped() {
    return dropped.sum();
  }

  /** How many calls the collector accepted. */
  public long sent() {
    return sent.sum();
  }

  @Override
  public void finished(FinishedCall call, CallTrace trace) {
    boolean unwanted = trace.parent().filter(parent -> !parent.isSampled()).isPresent();
    if (!unwanted && !queue.offer(new Ended(call, trace))) {
      dropped.increment();
    }
  }

  private void export() {
    List<Ended> batch = new ArrayList<>();
    while (!Thread.currentThread().isInterrupted()) {
      try {
        batch.clear();
        batch.add(queue.take());
        queue.drainTo(batch, MOST_AT_ONCE - 1);
        (send(batch) ? sent : dropped).add(batch.size());
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean send(List<Ended> batch) throws InterruptedException {
    try {
      SpanJson spans = new SpanJson(build, random);
      for (Ended ended : batch) {
        spans.add(ended.call().with(ended.trace()), ended.trace().parent());
      }
      HttpRequest request =
          HttpRequest.newBuilder(traces)
              .timeout(LIMIT)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofByteArray(spans.bytes()))
              .build();
      HttpResponse<Void> answer = client.send(request, BodyHandlers.discarding());
      return answer.statusCode() / 100 == 2;
    } catch (IOException | RuntimeException _) {
      return false;
    }
  }

  @Override
  public void declined(DeclineReason kind, String why) {
    // Not a call.
  }

  @Override
  public void stuck(String about, long nanos, StackTraceElement[] where) {
    // It will be exported when it ends.
  }

  @Override
  public void repaired(RepairKind kind) {
    // Not a call.
  }

  @Override
  public void note(String sentence) {
    // Not a call.
  }

  /** Stops sending; what is queued is lost. */
  @Override
  public void close() {
    thread.interrupt();
    client.shutdownNow();
  }
}
