package io.ocicat.agent.bird;

import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.agent.view.ResourceFollower;
import io.ocicat.agent.view.ViewEvent;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes the status of each CalicoNodeStatus that is about this node: at once when it is new or its
 * spec has changed, then at the interval that it names, each time only if something is different. A
 * write that fails is reported and tried again. Works on a thread of its own.
 */
public final class NodeStatusReporter implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final Duration IDLE = Duration.ofSeconds(60);

  private final Datastore datastore;
  private final String node;
  private final BirdFiles files;
  private final Clock clock;
  private final RepairLog log;
  private final BlockingQueue<ViewEvent> events = new LinkedBlockingQueue<>();
  private final Map<ResourceKey, Request> requests = new HashMap<>();
  private final Thread thread;
  private final ResourceFollower follower;
  private volatile boolean closed;
  private volatile String problem = "";

  /** A resource as it was last seen, and when it is due; {@link Long#MAX_VALUE} for never. */
  private record Request(Resource resource, JsonNode spec, long due) {
    Request at(long next) {
      return new Request(resource, spec, next);
    }

    Duration period() {
      return Duration.ofSeconds(spec.path("updatePeriodSeconds").asLong(0));
    }

    Set<String> classes() {
      Set<String> classes = new HashSet<>();
      spec.path("classes").forEach(name -> classes.add(name.asString("")));
      return classes;
    }
  }

  private NodeStatusReporter(
      Datastore datastore, String node, Path runDirectory, Clock clock, RepairLog log) {
    this.datastore = datastore;
    this.node = node;
    this.files = new BirdFiles(runDirectory);
    this.clock = clock;
    this.log = log;
    this.thread = Thread.ofPlatform().name("node-status").daemon().unstarted(this::run);
    this.follower =
        ResourceFollower.start(datastore, ResourceQuery.of(Kind.CALICO_NODE_STATUS), events::add);
  }

  /**
   * Starts to report.
   *
   * @param runDirectory where BIRD's socket is, if BIRD runs
   */
  public static NodeStatusReporter start(
      Datastore datastore, String node, Path runDirectory, Clock clock, RepairLog log) {
    NodeStatusReporter reporter = new NodeStatusReporter(datastore, node, runDirectory, clock, log);
    reporter.thread.start();
    return reporter;
  }

  /** Why the last status could not be written; empty when it was. */
  public String problem() {
    return problem;
  }

  private void run() {
    try {
      while (!closed) {
        ViewEvent event = events.poll(untilDue(), TimeUnit.NANOSECONDS);
        if (event != null) {
          take(event);
        }
        for (ResourceKey key : List.copyOf(requests.keySet())) {
          Request request = requests.get(key);
          if (request != null && isDue(request)) {
            report(request);
          }
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isDue(Request request) {
    return request.due() != Long.MAX_VALUE && request.due() - System.nanoTime() <= 0;
  }

  private long untilDue() {
    long now = System.nanoTime();
    return requests.values().stream()
        .filter(request -> request.due() != Long.MAX_VALUE)
        .mapToLong(request -> Math.max(0, request.due() - now))
        .min()
        .orElse(IDLE.toNanos());
  }

  private void take(ViewEvent event) {
    switch (event) {
      case ViewEvent.Listed(_, List<Resource> resources, _) -> {
        Set<ResourceKey> present = new HashSet<>();
        for (Resource resource : resources) {
          present.add(resource.key());
          put(resource);
        }
        requests.keySet().retainAll(present);
      }
      case ViewEvent.Changed(_, List<ResourceEvent> changes) -> changes.forEach(this::take);
      case ViewEvent.Unreachable _, ViewEvent.Reachable _ -> {
        // A write that fails says so.
      }
    }
  }

  private void take(ResourceEvent change) {
    switch (change) {
      case ResourceEvent.Added(Resource resource) -> put(resource);
      case ResourceEvent.Modified(Resource resource) -> put(resource);
      case ResourceEvent.Deleted deleted -> requests.remove(deleted.key());
      case ResourceEvent.Unreadable unreadable -> requests.remove(unreadable.key());
    }
  }

  /** What is new is due at once; our own write comes back as a change of the same spec. */
  private void put(Resource resource) {
    JsonNode spec = resource.content().path("spec");
    if (!spec.path("node").asString("").equals(node)) {
      requests.remove(resource.key());
      return;
    }
    Request before = requests.get(resource.key());
    long due = before != null && before.spec().equals(spec) ? before.due() : System.nanoTime();
    requests.put(resource.key(), new Request(resource, spec, due));
  }

  private void report(Request request) {
    ResourceKey key = request.resource().key();
    try {
      write(request);
      long now = System.nanoTime();
      requests.computeIfPresent(
          key,
          (_, latest) ->
              latest.at(
                  latest.period().isZero() ? Long.MAX_VALUE : now + latest.period().toNanos()));
      problem = "";
    } catch (NotFoundException _) {
      requests.remove(key);
    } catch (DatastoreException | BirdException e) {
      String text =
          "%s: its status cannot be written: %s".formatted(key.describe(), e.getMessage());
      if (!text.equals(problem)) {
        log.write(text);
      }
      problem = text;
      requests.put(key, request.at(System.nanoTime() + RETRY.toNanos()));
    }
  }

  private void write(Request request) {
    ObjectNode status = status(request.classes());
    Resource current = request.resource();
    if (isEqual(current, status)) {
      return;
    }
    Resource stored;
    try {
      stored = datastore.update(with(current, status));
    } catch (ConflictException _) {
      // Somebody else was faster: once more with what is there now.
      current = datastore.get(current.key());
      stored = datastore.update(with(current, status));
    }
    requests.put(stored.key(), new Request(stored, stored.content().path("spec"), request.due()));
  }

  private ObjectNode status(Set<String> classes) {
    @Nullable BirdControl bird = null;
    try {
      bird = BirdControl.connect(files.socket(), LIMIT);
      return NodeStatusDocument.of(bird.restricted(), classes);
    } catch (BirdException.Unreachable | BirdException.NoAnswer _) {
      return NodeStatusDocument.notReady(classes);
    } finally {
      if (bird != null) {
        bird.close();
      }
    }
  }

  /** Whether the resource says this already; what other classes said before stays. */
  private static boolean isEqual(Resource resource, ObjectNode status) {
    JsonNode before = resource.content().path("status");
    return status
            .propertyStream()
            .allMatch(part -> part.getValue().equals(before.get(part.getKey())))
        && before.hasNonNull("lastUpdated");
  }

  private Resource with(Resource resource, ObjectNode status) {
    ObjectNode content = resource.content();
    ObjectNode whole =
        content.get("status") instanceof ObjectNode before ? before : content.putObject("status");
    whole.put("lastUpdated", clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
    whole.setAll(status);
    return Resource.stored(resource.key(), content, resource.revision());
  }

  @Override
  public void close() {
    closed = true;
    follower.close();
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
