package io.ocicat.datastore.kv;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.model.ResourceAdmission;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts changes of keys to changes of resources, and drops those that do not match the query.
 */
final class KeyValueResourceWatch implements ResourceWatch {
  private final ResourceQuery query;
  private final KeyValueWatch watch;

  KeyValueResourceWatch(ResourceQuery query, KeyValueWatch watch) {
    this.query = query;
    this.watch = watch;
  }

  @Override
  public Batch next(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      KeyValueWatch.Batch batch = watch.next(left);
      List<ResourceEvent> events =
          batch.events().stream().map(this::translate).flatMap(Optional::stream).toList();
      // A batch of other resources only is no reason to return early.
      if (!events.isEmpty() || batch.events().isEmpty() || left.isZero()) {
        return new Batch(String.valueOf(batch.revision()), events);
      }
    }
  }

  private Optional<ResourceEvent> translate(KeyValueEvent event) {
    return CalicoLayout.parse(event.key())
        .filter(query::matches)
        .map(
            key ->
                switch (event) {
                  case KeyValueEvent.Put put -> put(key, put);
                  case KeyValueEvent.Deleted deleted ->
                      new ResourceEvent.Deleted(
                          key, String.valueOf(deleted.revision()), last(key, deleted.last()));
                });
  }

  private static ResourceEvent put(ResourceKey key, KeyValueEvent.Put put) {
    try {
      Resource resource = ResourceAdmission.asRead(CalicoLayout.decode(key, put.entry()));
      return put.isNew() ? new ResourceEvent.Added(resource) : new ResourceEvent.Modified(resource);
    } catch (CorruptException e) {
      return new ResourceEvent.Unreadable(
          key, String.valueOf(put.revision()), String.valueOf(e.getMessage()));
    }
  }

  private static @Nullable Resource last(ResourceKey key, @Nullable KeyValue entry) {
    if (entry == null) {
      return null;
    }
    try {
      return ResourceAdmission.asRead(CalicoLayout.decode(key, entry));
    } catch (CorruptException _) {
      return null;
    }
  }

  @Override
  public void close() {
    watch.close();
  }
}
