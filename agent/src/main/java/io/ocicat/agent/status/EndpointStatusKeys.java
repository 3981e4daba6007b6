package io.ocicat.agent.status;

import io.ocicat.agent.view.LocalEndpoint;
import io.ocicat.base.Backoff;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.model.WorkloadEndpointName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Endpoint status in the datastore, for those who read it there as OpenStack does: one key per
 * endpoint of the node, {@code up} or {@code down}, where Felix has it. Works on a thread of its
 * own: changes of one delay are written together, equal status is not written again, not even by
 * the next agent, and keys of endpoints that are gone are deleted. Thread-safe.
 */
public final class EndpointStatusKeys implements AutoCloseable {
  private static final String UP = "{\"status\":\"up\"}";
  private static final String DOWN = "{\"status\":\"down\"}";

  private final KeyValueStore store;
  private final String prefix;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable Map<String, String> wanted;
  private Duration delay = Duration.ZERO;
  private boolean due;
  private volatile @Nullable String problem;
  private final Thread thread;

  private EndpointStatusKeys(KeyValueStore store, String node) {
    this.store = store;
    this.prefix = "/calico/felix/v2/no-region/host/%s/workload/".formatted(node);
    this.thread = Thread.ofVirtual().name("endpoint-status").unstarted(this::run);
  }

  /** Starts one, which writes nothing before the first {@link #report}. */
  public static EndpointStatusKeys start(KeyValueStore store, String node) {
    EndpointStatusKeys keys = new EndpointStatusKeys(store, node);
    keys.thread.start();
    return keys;
  }

  /** These are the node's endpoints, and those of them that are ready. */
  public void report(
      Collection<LocalEndpoint> all, Collection<LocalEndpoint> ready, Duration after) {
    Set<LocalEndpoint> up = new HashSet<>(ready);
    Map<String, String> status = new TreeMap<>();
    for (LocalEndpoint endpoint : all) {
      key(endpoint).ifPresent(key -> status.put(key, up.contains(endpoint) ? UP : DOWN));
    }
    want(status, after);
  }

  /** Deletes what was reported, if anything was. */
  public void stop() {
    lock.lock();
    try {
      if (wanted == null) {
        return;
      }
    } finally {
      lock.unlock();
    }
    want(Map.of(), Duration.ZERO);
  }

  private void want(Map<String, String> status, Duration after) {
    lock.lock();
    try {
      if (!status.equals(wanted)) {
        wanted = status;
        delay = after;
        due = true;
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private Optional<String> key(LocalEndpoint endpoint) {
    return WorkloadEndpointName.parse(endpoint.key().name())
        .map(
            name ->
                "%s%s/%s/endpoint/%s"
                    .formatted(
                        prefix,
                        escape(name.orchestrator()),
                        escape(endpoint.key().namespace() + "/" + name.workload()),
                        escape(name.endpoint())));
  }

  private static String escape(String part) {
    return part.replace("%", "%25").replace("/", "%2f");
  }

  private void run() {
    Backoff backoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30));
    try {
      while (true) {
        Thread.sleep(awaitChange());
        try {
          write(takeWanted());
          problem = null;
          backoff.reset();
        } catch (DatastoreException e) {
          problem = "endpoint status cannot be written to the datastore: " + e.getMessage();
          Thread.sleep(backoff.next());
          lock.lock();
          try {
            due = true;
          } finally {
            lock.unlock();
          }
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException _) {
      // The datastore is closed, and so will be this.
    }
  }

  private Duration awaitChange() throws InterruptedException {
    lock.lock();
    try {
      while (!due) {
        changed.await();
      }
      return delay;
    } finally {
      lock.unlock();
    }
  }

  private Map<String, String> takeWanted() {
    lock.lock();
    try {
      due = false;
      return wanted == null ? Map.of() : wanted;
    } finally {
      lock.unlock();
    }
  }

  private void write(Map<String, String> status) {
    Map<String, String> there = new TreeMap<>();
    for (KeyValue entry : store.range(RangeQuery.all(prefix)).entries()) {
      there.put(entry.key(), entry.value());
    }
    List<Change> changes = new ArrayList<>();
    status.forEach(
        (key, value) -> {
          if (!value.equals(there.remove(key))) {
            changes.add(new Change.Put(key, value));
          }
        });
    there.keySet().forEach(key -> changes.add(new Change.Delete(key)));
    for (int from = 0; from < changes.size(); from += Transaction.MAX_OPERATIONS) {
      store.commit(
          new Transaction(
              List.of(),
              changes.subList(from, Math.min(changes.size(), from + Transaction.MAX_OPERATIONS))));
    }
  }

  /** Why the last attempt failed; empty when it did not. */
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  /** The keys stay: the next agent goes on with them. */
  @Override
  public void close() {
    thread.interrupt();
  }
}
