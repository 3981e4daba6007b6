package io.ocicat.daemon.call;

import io.ocicat.daemon.state.AttachmentKey;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers which attachments were deleted, and when the callers that did so were started: an ADD
 * of an older caller was overtaken by the DEL and must not bring back what that removed.
 * Thread-safe.
 */
final class Tombstones {
  /**
   * An ADD can be overtaken only while its caller waits, and no more than this many wait at once.
   */
  private static final int MOST = 4096;

  private final Map<AttachmentKey, Long> deletedNanos =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<AttachmentKey, Long> eldest) {
          return size() > MOST;
        }
      };

  private long hits;

  synchronized void put(AttachmentKey key, long startedNanos) {
    deletedNanos.merge(key, startedNanos, Math::max);
  }

  /** How many arrived too late. */
  synchronized long hits() {
    return hits;
  }

  /** Whether a caller that was started then arrives too late. */
  synchronized boolean isLate(AttachmentKey key, long startedNanos) {
    Long deleted = deletedNanos.get(key);
    boolean late = deleted != null && startedNanos < deleted;
    hits += late ? 1 : 0;
    return late;
  }
}
