package io.ocicat.agent.view;

import io.ocicat.base.Backoff;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lists the resources of one kind, then watches them, for ever: lists again when the watch has lost
 * changes, and retries with backoff when the datastore cannot be reached. Reports to a consumer,
 * which is called by one thread at a time.
 */
public final class ResourceFollower implements AutoCloseable {
  /** Closing the watch ends the wait earlier. */
  private static final Duration TURN = Duration.ofSeconds(30);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final Datastore datastore;
  private final ResourceQuery query;
  private final Consumer<ViewEvent> events;
  private final Thread thread;
  private volatile boolean closed;
  private volatile @Nullable ResourceWatch watch;
  private boolean reachable = true;
  private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);

  private ResourceFollower(Datastore datastore, ResourceQuery query, Consumer<ViewEvent> events) {
    this.datastore = datastore;
    this.query = query;
    this.events = events;
    this.thread =
        Thread.ofVirtual().name("follow-" + query.kind().plural()).unstarted(this::follow);
  }

  public static ResourceFollower start(
      Datastore datastore, ResourceQuery query, Consumer<ViewEvent> events) {
    ResourceFollower follower = new ResourceFollower(datastore, query, events);
    follower.thread.start();
    return follower;
  }

  private void follow() {
    while (!closed) {
      try {
        ResourcePage page = datastore.list(query);
        succeeded();
        events.accept(new ViewEvent.Listed(query.kind(), page.items(), page.unreadable()));
        watchFrom(page.revision());
      } catch (CompactedException _) {
        // Changes were lost: list again.
      } catch (UnsupportedException _) {
        absent();
      } catch (DatastoreException e) {
        failed(e);
      } catch (IllegalStateException e) {
        if (!closed) {
          failed(e);
        }
      }
    }
  }

  /** Returns only by an exception, or when this is closed. */
  private void watchFrom(String revision) {
    try (ResourceWatch opened = datastore.watch(query, revision)) {
      watch = opened;
      while (!closed) {
        ResourceWatch.Batch batch = opened.next(TURN);
        succeeded();
        if (!batch.events().isEmpty()) {
          events.accept(new ViewEvent.Changed(query.kind(), batch.events()));
        }
      }
    } finally {
      watch = null;
    }
  }

  private void succeeded() {
    backoff.reset();
    if (!reachable) {
      reachable = true;
      events.accept(new ViewEvent.Reachable(query.kind()));
    }
  }

  /** The datastore does not know the kind; on Kubernetes, somebody may define it later. */
  private void absent() {
    succeeded();
    events.accept(new ViewEvent.Listed(query.kind(), List.of(), List.of()));
    pause(TURN);
  }

  private void failed(RuntimeException e) {
    if (reachable) {
      reachable = false;
      events.accept(new ViewEvent.Unreachable(query.kind(), String.valueOf(e.getMessage())));
    }
    pause(backoff.next());
  }

  private static void pause(Duration length) {
    try {
      Thread.sleep(length);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed = true;
    ResourceWatch open = watch;
    if (open != null) {
      open.close();
    }
    thread.interrupt();
  }
}
