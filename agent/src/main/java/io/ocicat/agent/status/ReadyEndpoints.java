package io.ocicat.agent.status;

import io.ocicat.agent.view.LocalEndpoint;
import io.ocicat.plugins.calico.EndpointStatusName;
import io.ocicat.plugins.resident.EndpointReadiness;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints for which everything is in force, for plugins of the same process. Lives as long as
 * the process: one agent after another publishes here, and between them nobody is covered.
 * Thread-safe.
 */
public final class ReadyEndpoints implements EndpointReadiness {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private List<LocalEndpoint> published = List.of();
  private Map<String, LocalEndpoint> byName = Map.of();

  /** Null while no agent is in sync. */
  private @Nullable Path directory;

  /**
   * Replaces what was published before.
   *
   * @param statusDirectory where the same is published as files
   */
  public void publish(Path statusDirectory, List<LocalEndpoint> ready) {
    lock.lock();
    try {
      if (statusDirectory.equals(directory) && ready.equals(published)) {
        return;
      }
      directory = statusDirectory;
      published = List.copyOf(ready);
      byName = new HashMap<>();
      ready.forEach(endpoint -> byName.put(EndpointStatusName.of(endpoint.key()), endpoint));
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The agent stops: whoever waits for it has to look elsewhere. */
  public void withdraw() {
    lock.lock();
    try {
      directory = null;
      published = List.of();
      byName = Map.of();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean covers(Path statusDirectory) {
    lock.lock();
    try {
      return statusDirectory.equals(directory);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean await(Expected endpoint, Duration limit) throws InterruptedException {
    String name = EndpointStatusName.of(endpoint.key());
    long left = limit.toNanos();
    lock.lock();
    try {
      while (directory != null && left > 0 && !isReady(name, endpoint)) {
        left = changed.awaitNanos(left);
      }
      return isReady(name, endpoint);
    } finally {
      lock.unlock();
    }
  }

  private boolean isReady(String name, Expected expected) {
    LocalEndpoint ready = byName.get(name);
    return ready != null
        && Objects.equals(ready.mac(), expected.mac())
        && Set.copyOf(ready.networks()).equals(expected.networks());
  }
}
