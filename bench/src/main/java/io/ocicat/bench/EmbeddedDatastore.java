package io.ocicat.bench;

import com.sun.management.OperatingSystemMXBean;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedSettings;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.kv.CalicoLayout;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Measures the embedded datastore, warm: one writer's create, update, get and delete, compared with
 * the bare cost of a write that reaches the disk; many writers at once; how long a change takes to
 * reach a watch of another instance; what waiting watches cost; 50,000 endpoints listed and
 * watched. Fails when the median of create, update or get is over 0.2 ms.
 *
 * <p>Usage: {@code EmbeddedDatastore [directory [endpoints]]}
 */
public final class EmbeddedDatastore {
  private static final int WARM_UP = 3000;
  private static final int ROUNDS = 3000;
  private static final long ALLOWED_NANOS = 200_000;
  private static final int WRITERS = 16;

  private EmbeddedDatastore() {}

  public static void main(String[] args) throws Exception {
    Path parent = Path.of(args.length > 0 ? args[0] : ".").toAbsolutePath();
    int endpoints = args.length > 1 ? Integer.parseInt(args[1]) : 50_000;
    Path directory = Files.createTempDirectory(parent, "datastore-bench-");
    boolean fast;
    // As openDatastore does, except for a watch that need not keep up with sixteen writers.
    EmbeddedSettings settings =
        EmbeddedSettings.standard()
            .history(10_000_000)
            .durable(key -> !CalicoLayout.isEphemeral(key));
    try (Datastore one = new KeyValueDatastore(EmbeddedStore.open(directory, settings));
        Datastore other = new KeyValueDatastore(EmbeddedStore.open(directory, settings))) {
      fast = single(one, directory);
      many(one);
      latency(one, other);
      idle(other);
      large(one, other, endpoints);
    } finally {
      delete(directory);
    }
    if (!fast) {
      throw new IllegalStateException("create, update or get takes more than 0.2 ms");
    }
  }

  private static boolean single(Datastore datastore, Path directory) throws IOException {
    Sample disk = new Sample("write that reaches the disk");
    Sample create = new Sample("create");
    Sample update = new Sample("update");
    Sample get = new Sample("get");
    Sample delete = new Sample("delete");
    try (FileChannel file =
        FileChannel.open(
            directory.resolve("raw"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (int i = 0; i < WARM_UP + ROUNDS; i++) {
        Resource endpoint = Endpoints.of(i);
        boolean counts = i >= WARM_UP;
        int at = i;
        time(counts, disk, () -> sync(file, at));
        Resource[] held = new Resource[1];
        time(counts, create, () -> held[0] = datastore.create(endpoint));
        Resource changed =
            held[0].edit(document -> document.withObject("/spec").put("containerID", "beef"));
        time(counts, update, () -> held[0] = datastore.update(changed));
        time(counts, get, () -> held[0] = datastore.get(endpoint.key()));
        time(counts, delete, () -> datastore.delete(held[0]));
      }
    }
    for (Sample sample : List.of(disk, create, update, get, delete)) {
      IO.println(sample.line(disk) + sample.rate());
    }
    return Stream.of(create, update, get)
        .allMatch(sample -> sample.percentile(0.5) <= ALLOWED_NANOS);
  }

  /** As much as a small commit writes to SQLite's log, repeatedly in the same place. */
  private static void sync(FileChannel file, int round) {
    try {
      file.write(ByteBuffer.allocate(5 * 4096), (round % 200) * 5L * 4096);
      file.force(false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void time(boolean counts, Sample sample, Runnable work) {
    long from = System.nanoTime();
    work.run();
    long nanos = System.nanoTime() - from;
    if (counts) {
      sample.add(nanos);
    }
  }

  private static void many(Datastore datastore) throws Exception {
    int each = 400;
    long from = System.nanoTime();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> tasks = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        int first = 100_000 + writer * each;
        tasks.add(
            threads.submit(
                () -> {
                  for (int i = first; i < first + each; i++) {
                    datastore.delete(datastore.create(Endpoints.of(i)));
                  }
                }));
      }
      for (Future<?> task : tasks) {
        task.get();
      }
    }
    double seconds = (System.nanoTime() - from) / 1e9;
    IO.println(
        String.format(
            Locale.ROOT,
            "%d writers: %.0f writes a second",
            WRITERS,
            2 * WRITERS * each / seconds));
  }

  private static void latency(Datastore one, Datastore other) {
    Sample latency = new Sample("change to another's watch");
    String revision = other.list(ResourceQuery.of(Kind.NETWORK_SET)).revision();
    try (ResourceWatch watch = other.watch(ResourceQuery.of(Kind.NETWORK_SET), revision)) {
      for (int i = 0; i < 500; i++) {
        Resource set =
            Resource.of(new ResourceKey.Named(Kind.NETWORK_SET, "shop", "set-" + i), _ -> {});
        Thread writer = Thread.ofPlatform().unstarted(() -> one.create(set));
        long from = System.nanoTime();
        writer.start();
        while (watch.next(Duration.ofSeconds(5)).events().isEmpty()) {
          Thread.onSpinWait();
        }
        latency.add(System.nanoTime() - from);
      }
    }
    IO.println(latency.line(latency));
  }

  private static void idle(Datastore datastore) throws InterruptedException {
    int watches = 20;
    String revision = datastore.list(ResourceQuery.of(Kind.NODE)).revision();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < watches; i++) {
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (ResourceWatch watch =
                        datastore.watch(ResourceQuery.of(Kind.NODE), revision)) {
                      watch.next(Duration.ofSeconds(8));
                    }
                  }));
    }
    Thread.sleep(2000);
    long before = cpu();
    Thread.sleep(5000);
    double share = (cpu() - before) / 5e9;
    for (Thread thread : threads) {
      thread.join();
    }
    IO.println(
        String.format(
            Locale.ROOT, "%d watches that wait: %.3f %% of one processor", watches, 100 * share));
  }

  private static long cpu() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static void large(Datastore one, Datastore other, int endpoints) throws Exception {
    ResourceQuery query = ResourceQuery.in(Kind.WORKLOAD_ENDPOINT, "shop");
    String revision = one.list(query).revision();
    long from = System.nanoTime();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> tasks = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        int first = writer;
        tasks.add(
            threads.submit(
                () -> {
                  for (int i = first; i < endpoints; i += WRITERS) {
                    one.create(Endpoints.of(i));
                  }
                }));
      }
      int seen = 0;
      try (ResourceWatch watch = other.watch(query, revision)) {
        while (seen < endpoints) {
          for (ResourceEvent event : watch.next(Duration.ofSeconds(30)).events()) {
            seen += event instanceof ResourceEvent.Added ? 1 : 0;
          }
        }
      }
      for (Future<?> task : tasks) {
        task.get();
      }
    }
    IO.println(
        String.format(
            Locale.ROOT,
            "%d endpoints created and watched in %.1f s",
            endpoints,
            (System.nanoTime() - from) / 1e9));
    from = System.nanoTime();
    int listed = 0;
    ResourcePage page = other.list(query, 0, null);
    listed += page.items().size();
    while (page.next() != null) {
      page = other.list(query, 0, page.next());
      listed += page.items().size();
    }
    IO.println(
        String.format(
            Locale.ROOT,
            "%d endpoints listed in %.2f s",
            listed,
            (System.nanoTime() - from) / 1e9));
    Runtime runtime = Runtime.getRuntime();
    System.gc();
    IO.println(
        String.format(
            Locale.ROOT,
            "heap in use afterwards: %d MiB",
            (runtime.totalMemory() - runtime.freeMemory()) >> 20));
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.toList().reversed()) {
        Files.delete(file);
      }
    }
  }
}
