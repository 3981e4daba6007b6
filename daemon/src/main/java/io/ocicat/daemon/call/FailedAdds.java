package io.ocicat.daemon.call;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Which ADDs failed before they took anything, by the names of their records, so that there is
 * nothing for a DEL to finish later (review C10). Known for as long as this process lives: who does
 * not know it makes one DEL more. Thread-safe.
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
