package io.ocicat.bench;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.etcd.EtcdStore;
import io.ocicat.datastore.kv.CalicoLayout;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import io.ocicat.testkit.Etcd;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures the datastore on a private etcd on loopback, warm: create, update and get, taking turns
 * with bare gRPC calls that send the same bytes; many writers at once; endpoints listed and watched
 * with a slow reader. Fails when a median is over 1.3 times the bare call's.
 *
 * <p>Usage: {@code EtcdDatastore [directory [endpoints]]}
 */
public final class EtcdDatastore {
  private static final int WARM_UP = 1500;
  private static final int ROUNDS = 2000;
  private static final double ALLOWED = 1.3;
  private static final int WRITERS = 16;
  private static final int PAUSE_EVERY = 5000;

  private EtcdDatastore() {}

  public static void main(String[] args) throws Exception {
    Path parent = Path.of(args.length > 0 ? args[0] : ".").toAbsolutePath();
    int endpoints = args.length > 1 ? Integer.parseInt(args[1]) : 50_000;
    boolean fast;
    try (Etcd etcd = new Etcd(parent).start();
        Datastore datastore = open(etcd);
        BareEtcd bare = new BareEtcd("127.0.0.1", etcd.port())) {
      fast = single(datastore, bare);
      large(datastore, endpoints);
    }
    if (!fast) {
      throw new IllegalStateException(
          "create, update or get takes more than %s of a bare call".formatted(ALLOWED));
    }
  }

  static Datastore open(Etcd etcd) {
    return EtcdStore.openDatastore(
        new DatastoreConfig.Etcd(
            List.of(etcd.url()), "", "", new Secret(""), DatastoreConfig.Tls.NONE));
  }

  private static boolean single(Datastore datastore, BareEtcd bare) {
    Sample bareWrite = new Sample("bare write");
    Sample bareRead = new Sample("bare read");
    Sample create = new Sample("create");
    Sample update = new Sample("update");
    Sample get = new Sample("get");
    for (int i = 0; i < WARM_UP + ROUNDS; i++) {
      boolean counts = i >= WARM_UP;
      Resource endpoint = Endpoints.of(i);
      Resource[] held = new Resource[1];
      time(counts, create, () -> held[0] = datastore.create(endpoint));
      String key = "/bench/" + CalicoLayout.path(endpoint.key());
      byte[] request = BareEtcd.create(key, CalicoLayout.encode(held[0]));
      time(counts, bareWrite, () -> bare.txn(request));
      Resource changed =
          held[0].edit(document -> document.withObject("/spec").put("containerID", "beef"));
      time(counts, update, () -> held[0] = datastore.update(changed));
      time(counts, get, () -> held[0] = datastore.get(endpoint.key()));
      byte[] range = BareEtcd.range(key);
      time(counts, bareRead, () -> bare.get(range));
    }
    for (Sample sample : List.of(bareWrite, create, update)) {
      IO.println(sample.line(bareWrite) + sample.rate());
    }
    for (Sample sample : List.of(bareRead, get)) {
      IO.println(sample.line(bareRead) + sample.rate());
    }
    return ratio(create, bareWrite) <= ALLOWED
        && ratio(update, bareWrite) <= ALLOWED
        && ratio(get, bareRead) <= ALLOWED;
  }

  private static double ratio(Sample sample, Sample base) {
    return (double) sample.percentile(0.5) / base.percentile(0.5);
  }

  private static void time(boolean counts, Sample sample, Runnable work) {
    long from = System.nanoTime();
    work.run();
    long nanos = System.nanoTime() - from;
    if (counts) {
      sample.add(nanos);
    }
  }

  /** Fast writers with a watch that falls behind; then everything page by page. */
  private static void large(Datastore datastore, int endpoints) throws Exception {
    ResourceQuery query = ResourceQuery.in(Kind.WORKLOAD_ENDPOINT, Endpoints.NAMESPACE);
    String revision = datastore.list(query).revision();
    int first = WARM_UP + ROUNDS;
    long from = System.nanoTime();
    long peak = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> tasks = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        int start = first + writer;
        tasks.add(
            threads.submit(
                () -> {
                  for (int i = start; i < first + endpoints; i += WRITERS) {
                    datastore.create(Endpoints.of(i));
                  }
                }));
      }
      int seen = 0;
      int pauses = 0;
      try (ResourceWatch watch = datastore.watch(query, revision)) {
        while (seen < endpoints) {
          for (ResourceEvent event : watch.next(Duration.ofSeconds(30)).events()) {
            seen += event instanceof ResourceEvent.Added ? 1 : 0;
          }
          peak = Math.max(peak, inUse());
          if (seen / PAUSE_EVERY > pauses) {
            pauses++;
            Thread.sleep(500);
          }
        }
      }
      for (Future<?> task : tasks) {
        task.get();
      }
    }
    double seconds = (System.nanoTime() - from) / 1e9;
    IO.println(
        String.format(
            Locale.ROOT,
            "%d endpoints created by %d writers and seen by a slow watch in %.1f s: %.0f a second,"
                + " at most %d MiB of heap",
            endpoints,
            WRITERS,
            seconds,
            endpoints / seconds,
            peak >> 20));
    from = System.nanoTime();
    int listed = 0;
    ResourcePage page = datastore.list(query, 0, null);
    listed += page.items().size();
    while (page.next() != null) {
      page = datastore.list(query, 0, page.next());
      listed += page.items().size();
    }
    IO.println(
        String.format(
            Locale.ROOT,
            "%d endpoints listed in %.2f s",
            listed,
            (System.nanoTime() - from) / 1e9));
    System.gc();
    IO.println(String.format(Locale.ROOT, "heap in use afterwards: %d MiB", inUse() >> 20));
  }

  private static long inUse() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
