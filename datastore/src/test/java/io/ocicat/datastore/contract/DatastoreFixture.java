package io.ocicat.datastore.contract;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceWatch;
import io.ocicat.ip.IpPrefix;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An empty datastore for each test, and some resources to put into it. */
public abstract class DatastoreFixture {
  private final List<Datastore> opened = new ArrayList<>();
  private @Nullable Datastore datastore;
  private @Nullable Datastore another;

  /** Creates what {@link #open} opens: without resources. */
  protected abstract void prepare();

  /** Opens another client of what {@link #prepare} created, as another process would. */
  protected abstract Datastore open();

  /** Restarts the server, if there is one. All clients are closed. */
  protected abstract void restart();

  @BeforeEach
  final void begin() {
    prepare();
  }

  @AfterEach
  final void closeAll() {
    opened.reversed().forEach(Datastore::close);
    opened.clear();
    datastore = null;
    another = null;
  }

  /** The datastore under test. */
  protected final Datastore datastore() {
    Datastore known = datastore;
    if (known == null) {
      known = open();
      opened.add(known);
      datastore = known;
    }
    return known;
  }

  /** A second client of the same datastore. */
  protected final Datastore another() {
    Datastore known = another;
    if (known == null) {
      known = open();
      opened.add(known);
      another = known;
    }
    return known;
  }

  final void reopen() {
    closeAll();
    restart();
  }

  static Resource pool(String name, String cidr) {
    return Resource.of(
        new ResourceKey.Named(Kind.IP_POOL, "", name), spec -> spec.put("cidr", cidr));
  }

  static Resource networkSet(String namespace, String name, String net) {
    return Resource.of(
        new ResourceKey.Named(Kind.NETWORK_SET, namespace, name),
        spec -> spec.putArray("nets").add(net));
  }

  static Resource block(String cidr, long sequence) {
    return Resource.of(
        new ResourceKey.Block(IpPrefix.parse(cidr)),
        StoredJson.parseObject(
            """
            {"cidr":"%s","affinity":"host:node-1","allocations":[null,null],"unallocated":[0,1],"attributes":[],
             "sequenceNumber":%d,"sequenceNumberForAllocation":{},"deleted":false}"""
                .formatted(cidr, sequence)));
  }

  static Resource affinity(ResourceKey.Affinity key, String state) {
    return Resource.of(key, Json.object().put("state", state).put("deleted", false));
  }

  static Resource handle(String id, String block, int count) {
    return Resource.of(
        new ResourceKey.Handle(id),
        StoredJson.parseObject(
            "{\"block\":{\"%s\":%d},\"deleted\":false}".formatted(block, count)));
  }

  /** Returns at least this many events, in order. */
  static List<ResourceEvent> events(ResourceWatch watch, int count) {
    List<ResourceEvent> events = new ArrayList<>();
    long deadline = System.nanoTime() + Watching.TIMEOUT.toNanos();
    while (events.size() < count) {
      Duration left = Duration.ofNanos(deadline - System.nanoTime());
      if (!left.isPositive()) {
        throw new AssertionError("waited in vain for %d events, got %s".formatted(count, events));
      }
      events.addAll(watch.next(left).events());
    }
    return events;
  }
}
