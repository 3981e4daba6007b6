package io.ocicat.daemon.call;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Remembers which ADDs failed before they had any effect, by the names of their records, so that a
 * DEL has nothing to finish later (review C10). Lasts as long as this process: without it one more
 * DEL is made. Thread-safe.
 */
final class FailedAdds {
  private static final int MOST = 4096;

  private final Set<String> tookNothing =
      Collections.newSetFromMap(
          new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
              return size() > MOST;
            }
          });

  synchronized void ended(String name, boolean mayHaveTaken) {
    if (mayHaveTaken) {
      tookNothing.remove(name);
    } else {
      tookNothing.add(name);
    }
  }

  synchronized boolean tookNothing(String name) {
    return tookNothing.contains(name);
  }
}
