package io.ocicat.ipam.block;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cache of handles that this process has recently written or read. They may be outdated: each is
 * written only if it is unchanged. Thread-safe.
 */
final class RecentHandles {
  private static final int MAX_ENTRIES = 512;

  private final Map<ResourceKey, Resource> recent =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ResourceKey, Resource> eldest) {
          return size() > MAX_ENTRIES;
        }
      };

  public synchronized @Nullable Resource find(String id) {
    return recent.get(new ResourceKey.Handle(id));
  }

  /** Caches the current handle; null when it does not exist. */
  public synchronized void update(ResourceKey key, @Nullable Resource now) {
    if (now == null) {
      recent.remove(key);
    } else {
      recent.put(key, now);
    }
  }

  public synchronized void clear() {
    recent.clear();
  }
}
