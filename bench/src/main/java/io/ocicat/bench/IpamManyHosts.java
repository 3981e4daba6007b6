package io.ocicat.bench;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.passing.MortalDatastore;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.check.IpamCheck;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.testkit.Etcd;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures IPAM of many hosts that share one etcd; a fifth of them are killed while they claim a
 * block or allocate an address.
 *
 * <p>Pods come at a fixed rate, whether or not earlier pods have their addresses; an allocation's
 * time counts from when its pod came. So a cluster that cannot keep up shows as times that grow,
 * and no waiting pod is left out. The cluster determines how many allocations are in progress at
 * once. The hosts are in some processes of one JVM, which shares two cores with etcd: the CPU time
 * of each is reported, because in a cluster every host has its own processors. About every seventh
 * pod comes to a host that is dead by then, so 1,250 pods a second are some 1,060 allocations.
 *
 * <p>Daemons that have run for a while have all their code compiled; so the same is done with other
 * hosts before, several times, and not counted.
 */
final class IpamManyHosts {
  private static final int PROCESSES = 20;
  private static final int REHEARSALS = 3;

  private final Etcd etcd;
  private final int hosts;
  private final int each;
  private final int rate;
  private final AtomicLong calls = new AtomicLong();
  private final List<Datastore> doors = new ArrayList<>();
  private final List<Ipam> processes = new ArrayList<>();
  private final Map<String, Ipam> byHost = new ConcurrentHashMap<>();
  private final Set<String> killed = ConcurrentHashMap.newKeySet();
  private final Map<String, IpAddress> given = new ConcurrentHashMap<>();
  private final Map<IpAddress, String> owners = new ConcurrentHashMap<>();
  private final AtomicInteger twice = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();

  IpamManyHosts(Etcd etcd, int hosts, int each, int rate) {
    this.etcd = etcd;
    this.hosts = hosts;
    this.each = each;
    this.rate = rate;
  }

  void run() throws InterruptedException {
    try {
      for (int i = 0; i < PROCESSES; i++) {
        doors.add(EtcdDatastore.open(etcd));
        processes.add(
            Ipam.resident(SimulatedProcess.living(doors.get(i), calls), ClockAndRandom.ofSystem()));
      }
      IpamAllocations.pool(doors.getFirst(), "10.0.0.0/10");
      for (int i = 0; i < REHEARSALS; i++) {
        new Wave("past-" + i + "-", hosts / 2).run();
      }
      IO.println(new Wave("host-", hosts).run());
      verify();
    } finally {
      processes.forEach(Ipam::close);
      doors.forEach(Datastore::close);
    }
  }

  /** Hosts that join a cluster, and their pods. */
  private final class Wave {
    private final String prefix;
    private final int members;
    private final Sample all = new Sample("allocation");
    private final Sample first = new Sample("a host's first, with a block");
    private final Sample mortal = new Sample("of hosts that get killed");

    Wave(String prefix, int members) {
      this.prefix = prefix;
      this.members = members;
    }

    /** Returns the results as lines. */
    String run() throws InterruptedException {
      for (int host = 0; host < members; host++) {
        join(host);
      }
      List<Integer> pods = pods();
      CountDownLatch done = new CountDownLatch(pods.size());
      // Free memory now, so that there is no garbage collection during the measurement.
      System.gc();
      long cpu = CpuUsage.ofThisProcess();
      long cpuOfEtcd = CpuUsage.of(ProcessHandle.of(etcd.pid()).orElseThrow());
      long callsBefore = calls.get();
      int killedBefore = killed.size();
      int givenBefore = given.size();
      long start = System.nanoTime();
      come(pods, start, done);
      done.await();
      double seconds = (System.nanoTime() - start) / 1e9;
      int count = given.size() - givenBefore;
      return String.join(
          "\n",
          String.format(
              Locale.ROOT,
              "etcd, %d hosts in %d processes, %d pods a second: %,.0f allocations/s, %d hosts killed, %d allocations failed",
              members,
              PROCESSES,
              rate,
              count / seconds,
              killed.size() - killedBefore,
              failed.get()),
          all.line(all),
          first.line(all),
          mortal.line(all),
          String.format(
              Locale.ROOT,
              "for each: %.2f calls of the datastore, %.0f µs CPU of the hosts, %.0f µs CPU of etcd",
              (double) (calls.get() - callsBefore) / count,
              (CpuUsage.ofThisProcess() - cpu) / 1e3 / count,
              (CpuUsage.of(ProcessHandle.of(etcd.pid()).orElseThrow()) - cpuOfEtcd) / 1e3 / count));
    }

    private void join(int number) {
      String host = prefix + number;
      Datastore door = doors.get(number % PROCESSES);
      IpamAllocations.node(door, host);
      byHost.put(
          host,
          isMortal(number)
              ? Ipam.forOneCall(SimulatedProcess.mortal(door, calls), ClockAndRandom.ofSystem())
              : processes.get(number % PROCESSES));
    }

    private static boolean isMortal(int number) {
      return number % 5 == 0;
    }

    /**
     * The host of each pod. Hosts join steadily during the first half, so that about every tenth
     * pod is the first of its host then; later hosts are random.
     */
    private List<Integer> pods() {
      Random random = new Random(1);
      int count = members * each;
      List<Integer> pods = new ArrayList<>();
      List<Integer> joined = new ArrayList<>();
      int[] left = new int[members];
      Arrays.fill(left, each);
      int next = 0;
      for (int i = 0; i < count; i++) {
        while (next < members && (joined.isEmpty() || next <= 2L * i * members / count)) {
          joined.add(next++);
        }
        int at = random.nextInt(joined.size());
        int host = joined.get(at);
        pods.add(host);
        if (--left[host] == 0) {
          joined.set(at, joined.getLast());
          joined.removeLast();
        }
      }
      return pods;
    }

    private void come(List<Integer> pods, long start, CountDownLatch done) {
      Set<Integer> seen = new HashSet<>();
      for (int i = 0; i < pods.size(); i++) {
        int number = pods.get(i);
        String host = prefix + number;
        String handle = host + "." + i;
        long due = start + i * 1_000_000_000L / rate;
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        boolean isFirst = seen.add(number);
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    if (add(host, handle)) {
                      record(System.nanoTime() - due, isFirst, isMortal(number));
                    }
                  } finally {
                    done.countDown();
                  }
                });
      }
    }

    private synchronized void record(long nanos, boolean isFirst, boolean isMortal) {
      all.add(nanos);
      if (isFirst) {
        first.add(nanos);
      }
      if (isMortal) {
        mortal.add(nanos);
      }
    }
  }

  /** Whether the host lives to use its address. */
  private boolean add(String host, String handle) {
    Ipam ipam = byHost.get(host);
    if (ipam == null || killed.contains(host)) {
      return false;
    }
    try {
      IpAddress got =
          ipam.autoAssign(IpamAllocations.request(host, handle, 1))
              .addresses()
              .getFirst()
              .address();
      given.put(handle, got);
      if (owners.putIfAbsent(got, handle) != null) {
        twice.incrementAndGet();
      }
      return true;
    } catch (MortalDatastore.Killed _) {
      killed.add(host);
      return false;
    } catch (DatastoreException _) {
      failed.incrementAndGet();
      return false;
    } catch (IllegalStateException e) {
      // Its write was another thread's, which was killed.
      if (e.getCause() instanceof MortalDatastore.Killed) {
        return false;
      }
      throw e;
    }
  }

  private void verify() {
    IpamCheck.Report report = processes.getFirst().check().run();
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
            "given twice %d, lost %d, assigned to the killed and unknown to them %d, blocks %d,"
                + " findings %d",
            twice.get(),
            lost,
            stored.size() - given.size(),
            report.blocks(),
            report.findings().size()));
    if (twice.get() + lost > 0) {
      throw new IllegalStateException("an address was given twice or lost");
    }
  }
}
