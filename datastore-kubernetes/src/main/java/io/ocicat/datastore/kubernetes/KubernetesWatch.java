package io.ocicat.datastore.kubernetes;

import io.ocicat.base.Deadline;
import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kubernetes.client.ApiClient;
import io.ocicat.datastore.kubernetes.client.CollectionWatch;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Merges one or more {@link CollectionWatch}es into one watch, whose revision is theirs joined by
 * slashes.
 */
final class KubernetesWatch implements ResourceWatch {
  private static final int QUEUE_SIZE = 256;
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(10);

  private final ApiClient api;
  private final String subject;
  private final BlockingQueue<CollectionWatch.Signal> signals =
      new ArrayBlockingQueue<>(QUEUE_SIZE);
  private final List<CollectionWatch> feeds = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final String[] positions;
  private @Nullable DatastoreException pending;
  private volatile boolean closed;

  KubernetesWatch(ApiClient api, String subject, List<CollectionWatch.Source> sources) {
    this.api = api;
    this.subject = subject;
    this.positions = sources.stream().map(CollectionWatch.Source::from).toArray(String[]::new);
    for (CollectionWatch.Source source : sources) {
      CollectionWatch feed = new CollectionWatch(api, source, feeds.size(), signals::put);
      feeds.add(feed);
      threads.add(Thread.ofVirtual().name("kubernetes-watch").start(feed));
    }
  }

  @Override
  public Batch next(Duration timeout) {
    Deadline deadline = Deadline.in(timeout);
    List<ResourceEvent> events = new ArrayList<>();
    while (events.size() < QUEUE_SIZE) {
      checkOpen();
      DatastoreException why = pending;
      if (why != null && events.isEmpty()) {
        // Lost history stays lost; every other failure may be temporary.
        pending = why instanceof CompactedException ? why : null;
        throw why;
      }
      CollectionWatch.Signal signal =
          why == null ? poll(events.isEmpty() ? deadline.remaining() : Duration.ZERO) : null;
      switch (signal) {
        case null -> {
          if (!events.isEmpty() || deadline.hasPassed()) {
            return batch(events);
          }
        }
        case CollectionWatch.Signal.Reached reached -> {
          positions[reached.feed()] = reached.revision();
          reached.event().ifPresent(events::add);
        }
        case CollectionWatch.Signal.Failed failed -> pending = failed.why();
        case CollectionWatch.Signal.Woken() -> {}
      }
    }
    return batch(events);
  }

  private CollectionWatch.@Nullable Signal poll(Duration time) {
    feeds.forEach(CollectionWatch::checkSilence);
    try {
      long nanos = Math.min(time.toNanos(), CHECK_INTERVAL.toNanos());
      return nanos == 0 ? signals.poll() : signals.poll(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while watching " + subject, e);
    }
  }

  private Batch batch(List<ResourceEvent> events) {
    if (events.isEmpty()) {
      feeds.stream()
          .map(CollectionWatch::failure)
          .filter(Objects::nonNull)
          .findFirst()
          .ifPresent(
              why -> {
                throw why;
              });
    }
    return new Batch(String.join("/", positions), events);
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the watch of " + subject + " is closed");
    }
    api.checkOpen();
  }

  @Override
  public void close() {
    closed = true;
    feeds.forEach(CollectionWatch::close);
    threads.forEach(Thread::interrupt);
    // Wakes a reader; when the queue is full it has something to read anyway.
    boolean _ = signals.offer(new CollectionWatch.Signal.Woken());
  }
}
