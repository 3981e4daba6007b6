package io.ocicat.bench;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Kind;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.ResourceKey;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.AddressInfo;
import io.ocicat.ipam.AutoAssignRequest;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.IpamCheck;
import io.ocicat.ipam.Sources;
import io.ocicat.testkit.Etcd;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Calico's addresses: one host on the embedded datastore, the cost beside few and beside very many
 * addresses in use, and a thousand hosts on one etcd, a fifth of which are killed while they claim
 * a block or take an address.
 */
public final class IpamAllocations {
  private static final int PROCESSES = 20;
  private static final int AT_ONCE = 16;

  private IpamAllocations() {}

  /** A simulated process is killed. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  public static void main(String[] args) throws Exception {
    int hosts = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
    int each = args.length > 1 ? Integer.parseInt(args[1]) : 20;
    Path directory = Files.createTempDirectory("ocicat-bench-ipam");
    try {
      try (Datastore datastore = EmbeddedStore.openDatastore(directory.resolve("embedded"))) {
        pool(datastore, "10.0.0.0/8");
        node(datastore, "node-1");
        oneHost(datastore);
        flat(datastore);
      }
      try (Etcd etcd = new Etcd(directory).start()) {
        manyHosts(etcd, hosts, each);
      }
    } finally {
      delete(directory);
    }
  }

  private static void pool(Datastore datastore, String cidr) {
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "bench"),
            spec -> spec.put("cidr", cidr).put("blockSize", 26)));
  }

  private static void node(Datastore datastore, String name) {
    datastore.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", name), _ -> {}));
  }

  private static AutoAssignRequest request(String host, String handle, int count) {
    return AutoAssignRequest.on(host)
        .withCounts(count, 0)
        .withMaxBlocks(1 << 20)
        .withHandle(
            handle,
            Map.of("node", host, "namespace", "shop", "pod", handle, "timestamp", "2026-01-01"));
  }

  /** As a daemon has it: several calls at a time, each ADD followed by its DEL some time later. */
  private static void oneHost(Datastore datastore) throws InterruptedException {
    try (Ipam ipam = Ipam.resident(datastore, Sources.ofSystem())) {
      for (int round = 0; round < 3; round++) {
        int count = 8000;
        AtomicInteger next = new AtomicInteger();
        int prefix = round;
        List<Thread> threads = new ArrayList<>();
        long start = System.nanoTime();
        for (int t = 0; t < 4 * AT_ONCE; t++) {
          threads.add(
              Thread.ofVirtual()
                  .start(
                      () -> {
                        for (int i = next.getAndIncrement();
                            i < count;
                            i = next.getAndIncrement()) {
                          String handle = "net." + prefix + "-" + i;
                          ipam.autoAssign(request("node-1", handle, 1));
                          if (i % 2 == 0) {
                            ipam.releaseByHandle(handle);
                          }
                        }
                      }));
        }
        for (Thread thread : threads) {
          thread.join();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        IO.println(
            String.format(
                Locale.ROOT,
                "embedded, one host, %d at once, half released again: %,.0f allocations/s%s",
                4 * AT_ONCE,
                count / seconds,
                round == 0 ? " (cold)" : ""));
      }
    }
  }

  /** The same pair of ADD and DEL beside what other hosts have in use. */
  private static void flat(Datastore datastore) {
    node(datastore, "measured");
    try (Ipam ipam = Ipam.resident(datastore, Sources.ofSystem());
        Ipam others = Ipam.resident(datastore, Sources.ofSystem())) {
      measure(ipam, "warm-up");
      Sample few = measure(ipam, "10 more addresses in use");
      for (int host = 0; host < 100; host++) {
        node(datastore, "other-" + host);
        for (int i = 0; i < 1000; i += 50) {
          others.autoAssign(request("other-" + host, "o" + host + "." + i, 50));
        }
      }
      ipam.forget();
      Sample many = measure(ipam, "100,000 more in use");
      IO.println(few.line(few));
      IO.println(many.line(few));
    }
  }

  private static Sample measure(Ipam ipam, String name) {
    Sample sample = new Sample(name);
    for (int i = 0; i < 2000; i++) {
      String handle = name.hashCode() + "." + i;
      long start = System.nanoTime();
      ipam.autoAssign(request("measured", handle, 1));
      sample.add(System.nanoTime() - start);
      ipam.releaseByHandle(handle);
    }
    return sample;
  }

  private static void manyHosts(Etcd etcd, int hosts, int each) throws Exception {
    List<Datastore> doors = new ArrayList<>();
    List<Ipam> processes = new ArrayList<>();
    Map<String, IpAddress> given = new ConcurrentHashMap<>();
    Sample sample = new Sample("allocation");
    AtomicInteger killed = new AtomicInteger();
    AtomicInteger twice = new AtomicInteger();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        doors.add(EtcdDatastore.open(etcd));
        processes.add(Ipam.resident(doors.get(i), Sources.ofSystem()));
      }
      pool(doors.getFirst(), "10.0.0.0/10");
      for (int host = 0; host < hosts; host++) {
        node(doors.get(host % PROCESSES), "host-" + host);
      }
      Map<IpAddress, String> owners = new ConcurrentHashMap<>();
      CountDownLatch done = new CountDownLatch(hosts);
      // A node adds a few pods at a time, and a cluster's nodes do not all do so at one moment.
      Semaphore cluster = new Semaphore(AT_ONCE);
      long start = System.nanoTime();
      for (int h = 0; h < hosts; h++) {
        String host = "host-" + h;
        boolean dies = h % 5 == 0;
        Ipam ipam =
            dies
                ? Ipam.forOneCall(mortal(doors.get(h % PROCESSES)), Sources.ofSystem())
                : processes.get(h % PROCESSES);
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    for (int i = 0; i < each; i++) {
                      String handle = host + "." + i;
                      cluster.acquireUninterruptibly();
                      long from = System.nanoTime();
                      IpAddress got;
                      try {
                        List<IpPrefix> addresses =
                            ipam.autoAssign(request(host, handle, 1)).addresses();
                        got = addresses.getFirst().address();
                      } finally {
                        cluster.release();
                      }
                      long took = System.nanoTime() - from;
                      synchronized (sample) {
                        sample.add(took);
                      }
                      given.put(handle, got);
                      if (owners.putIfAbsent(got, handle) != null) {
                        twice.incrementAndGet();
                      }
                    }
                  } catch (Killed _) {
                    killed.incrementAndGet();
                  } finally {
                    done.countDown();
                  }
                });
      }
      done.await();
      double seconds = (System.nanoTime() - start) / 1e9;
      IO.println(
          String.format(
              Locale.ROOT,
              "etcd, %d hosts in %d processes, %d at once: %,.0f allocations/s, %d hosts killed",
              hosts,
              PROCESSES,
              AT_ONCE,
              given.size() / seconds,
              killed.get()));
      IO.println(sample.line(sample));
      verify(processes.getFirst(), given, twice.get());
    } finally {
      processes.forEach(Ipam::close);
      doors.forEach(Datastore::close);
    }
  }

  private static void verify(Ipam ipam, Map<String, IpAddress> given, int twice) {
    IpamCheck.Report report = ipam.check().run();
    Map<IpAddress, String> stored = new HashMap<>();
    for (AddressInfo info : report.assigned()) {
      stored.put(info.address(), String.valueOf(info.handle()));
    }
    long lost =
        given.entrySet().stream()
            .filter(entry -> !entry.getKey().equals(stored.get(entry.getValue())))
            .count();
    IO.println(
        String.format(
            Locale.ROOT,
            "given twice %d, lost %d, assigned to the killed and unknown to them %d, blocks %d, findings %d",
            twice,
            lost,
            stored.size() - given.size(),
            report.blocks(),
            report.findings().size()));
    if (twice + lost > 0) {
      throw new IllegalStateException("an address was given twice or lost");
    }
  }

  /** Dies before or after one of its first writes. */
  private static Datastore mortal(Datastore datastore) {
    AtomicInteger left = new AtomicInteger(ThreadLocalRandom.current().nextInt(1, 8));
    boolean before = ThreadLocalRandom.current().nextBoolean();
    return (Datastore)
        Proxy.newProxyInstance(
            Datastore.class.getClassLoader(),
            new Class<?>[] {Datastore.class},
            (_, method, args) -> {
              boolean dies =
                  method.getName().equals("commit")
                      && !((List<?>) args[0]).isEmpty()
                      && left.decrementAndGet() == 0;
              if (dies && before) {
                throw new Killed();
              }
              try {
                Object result = method.invoke(datastore, args);
                if (dies) {
                  throw new Killed();
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
              }
            });
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
