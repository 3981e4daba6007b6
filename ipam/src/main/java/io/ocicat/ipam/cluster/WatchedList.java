package io.ocicat.ipam.cluster;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A list of resources, kept current by a watch for as long as it is used. It is listed again when
 * it is older than {@code longest}, when the watch ends, or when it is invalidated. A client that
 * may list but not watch, such as Calico's plugins with Kubernetes, lists each time. Thread-safe.
 */
final class WatchedList<T> implements AutoCloseable {
  /** Closing a watch ends the wait, so this is only an upper bound. */
  private static final Duration TURN = Duration.ofSeconds(30);

  /** Converts the resources to the value that callers use. */
  @FunctionalInterface
  public interface View<T> {
    T of(Collection<Resource> resources);
  }

  private final Datastore datastore;
  private final ResourceQuery query;
  private final View<T> view;
  private final LongSupplier nanoTime;
  private final long longest;

  private final Map<ResourceKey, Resource> resources = new LinkedHashMap<>();
  private @Nullable T current;
  private @Nullable ResourceWatch watch;
  private long listedAt;
  private @Nullable Long refusedAt;
  private long turn;
  private final AtomicLong clock = new AtomicLong();
  private @Nullable T lastListed;
  private long lastListing;
  private boolean closed;

  WatchedList(
      Datastore datastore,
      ResourceQuery query,
      View<T> view,
      LongSupplier nanoTime,
      Duration longest) {
    this.datastore = datastore;
    this.query = query;
    this.view = view;
    this.nanoTime = nanoTime;
    this.longest = longest.toNanos();
  }

  /**
   * Returns the current value, within the maximum age. Callers that arrive during a list share the
   * next one.
   */
  public T get() {
    return get(clock.incrementAndGet());
  }

  private synchronized T get(long came) {
    T known = current;
    if (known != null && nanoTime.getAsLong() - listedAt <= longest) {
      return known;
    }
    T listed = lastListed;
    if (listed != null && lastListing > came) {
      return listed;
    }
    return list();
  }

  private T list() {
    long now = nanoTime.getAsLong();
    lastListed = null;
    lastListing = clock.incrementAndGet();
    ResourcePage page = datastore.list(query);
    resources.clear();
    page.items().forEach(resource -> resources.put(resource.key(), resource));
    T listed = view.of(resources.values());
    lastListed = listed;
    if (refusedAt != null && now - refusedAt <= longest) {
      return listed;
    }
    current = listed;
    listedAt = now;
    if (!closed) {
      // Events of the previous watch may be older than this list.
      ResourceWatch before = watch;
      ResourceWatch opened = datastore.watch(query, page.revision());
      watch = opened;
      long mine = ++turn;
      Thread.ofVirtual().name("ipam-watch-" + query.kind()).start(() -> follow(opened, mine));
      if (before != null) {
        before.close();
      }
    }
    return listed;
  }

  /** Runs until the watch ends, for whatever reason; the next {@link #get} starts another. */
  private void follow(ResourceWatch opened, long mine) {
    try (opened) {
      while (isCurrent(mine)) {
        opened.next(TURN).events().forEach(event -> update(mine, event));
      }
    } catch (UnauthorizedException _) {
      refuse();
    } catch (DatastoreException | IllegalStateException _) {
      // Compacted, unreachable or closed: the cached list is no longer valid.
    } finally {
      end(mine);
    }
  }

  private synchronized boolean isCurrent(long mine) {
    return turn == mine && !closed;
  }

  private synchronized void refuse() {
    refusedAt = nanoTime.getAsLong();
  }

  private synchronized void end(long mine) {
    if (turn == mine) {
      watch = null;
      current = null;
    }
  }

  private synchronized void update(long mine, ResourceEvent event) {
    if (turn != mine) {
      return;
    }
    switch (event) {
      case ResourceEvent.Added added -> resources.put(added.key(), added.resource());
      case ResourceEvent.Modified modified -> resources.put(modified.key(), modified.resource());
      case ResourceEvent.Deleted deleted -> resources.remove(deleted.key());
      case ResourceEvent.Unreadable unreadable -> resources.remove(unreadable.key());
    }
    current = current == null ? null : view.of(resources.values());
  }

  public synchronized void invalidate() {
    current = null;
    lastListed = null;
  }

  @Override
  public void close() {
    ResourceWatch open;
    synchronized (this) {
      closed = true;
      open = watch;
      watch = null;
      current = null;
    }
    if (open != null) {
      open.close();
    }
  }
}
