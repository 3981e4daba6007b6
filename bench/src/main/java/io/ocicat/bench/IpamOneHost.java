package io.ocicat.bench;

import io.ocicat.datastore.Datastore;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.ClockAndRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/** Measures IPAM of one host on the embedded datastore, as its daemon uses it. */
final class IpamOneHost {
  private static final int AT_ONCE = 64;
  private static final int ROUNDS = 4;
  private static final int COUNT = 8000;
  private static final int OTHERS = 100;
  private static final int PAIRS = 2000;

  private IpamOneHost() {}

  /**
   * Several calls at a time, half of the ADDs followed by their DEL. Each round leaves 4,000 more
   * addresses in use, so that the host has 63 more blocks: the rounds should be alike.
   */
  static void atOnce(Datastore datastore) throws InterruptedException {
    IpamAllocations.node(datastore, "node-1");
    try (Ipam ipam = Ipam.resident(datastore, ClockAndRandom.ofSystem())) {
      for (int round = 0; round < ROUNDS; round++) {
        long cpu = CpuUsage.ofThisProcess();
        long start = System.nanoTime();
        allocate(ipam, "net." + round);
        double seconds = (System.nanoTime() - start) / 1e9;
        IO.println(
            String.format(
                Locale.ROOT,
                "embedded, one host, %d at once, half released again: %,.0f allocations/s, %.0f µs CPU each%s",
                AT_ONCE,
                COUNT / seconds,
                (CpuUsage.ofThisProcess() - cpu) / 1e3 / COUNT,
                round == 0 ? " (cold)" : ""));
      }
    }
  }

  private static void allocate(Ipam ipam, String prefix) throws InterruptedException {
    AtomicInteger next = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < AT_ONCE; t++) {
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    for (int i = next.getAndIncrement(); i < COUNT; i = next.getAndIncrement()) {
                      String handle = prefix + "-" + i;
                      ipam.autoAssign(IpamAllocations.request("node-1", handle, 1));
                      if (i % 2 == 0) {
                        ipam.releaseByHandle(handle);
                      }
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** The same pair of ADD and DEL while other hosts have many addresses in use. */
  static void withManyInUse(Datastore datastore) {
    IpamAllocations.node(datastore, "measured");
    try (Ipam ipam = Ipam.resident(datastore, ClockAndRandom.ofSystem())) {
      measure(ipam, "warm-up");
      Sample few = measure(ipam, "10 more addresses in use");
      allocateForOthers(datastore);
      ipam.invalidate();
      Sample many = measure(ipam, "100,000 more in use");
      IO.println(few.line(few));
      IO.println(many.line(few));
    }
  }

  /** They are on other machines: their processes' watches are not this one's load. */
  private static void allocateForOthers(Datastore datastore) {
    try (Ipam others = Ipam.resident(datastore, ClockAndRandom.ofSystem())) {
      for (int host = 0; host < OTHERS; host++) {
        IpamAllocations.node(datastore, "other-" + host);
        for (int i = 0; i < 1000; i += 50) {
          others.autoAssign(IpamAllocations.request("other-" + host, "o" + host + "." + i, 50));
        }
      }
    }
  }

  private static Sample measure(Ipam ipam, String name) {
    Sample sample = new Sample(name);
    long cpu = CpuUsage.ofThisProcess();
    for (int i = 0; i < PAIRS; i++) {
      String handle = name.hashCode() + "." + i;
      long start = System.nanoTime();
      ipam.autoAssign(IpamAllocations.request("measured", handle, 1));
      sample.add(System.nanoTime() - start);
      ipam.releaseByHandle(handle);
    }
    IO.println(
        String.format(
            Locale.ROOT,
            "%s: %.0f µs CPU for each pair",
            name,
            (CpuUsage.ofThisProcess() - cpu) / 1e3 / PAIRS));
    return sample;
  }
}
