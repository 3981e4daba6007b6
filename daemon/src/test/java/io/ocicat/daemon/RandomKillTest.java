package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runtimes add and delete containers while the daemon is killed again and again, at any moment.
 * {@code -Docicat.longer=10} kills it ten times as often.
 */
@Hosts
class RandomKillTest {
  private static final int KILLS = 8;
  private static final int CLIENTS = 3;

  @TempDir Path folder;

  private final Map<String, String> owners = new ConcurrentHashMap<>();
  private final List<String> daemonLogs = new ArrayList<>();
  private final AtomicBoolean over = new AtomicBoolean();

  @Test
  void nothingIsLostAndNothingIsGivenTwice(Host host, Host a, Host b, Host c) throws Exception {
    long seed = Long.getLong("ocicat.seed", System.nanoTime());
    Installation ocicat = Installation.in(folder, host);
    List<Host> containers = List.of(a, b, c);
    try {
      killWhileClientsRun(ocicat, containers, new Random(seed));
    } catch (Throwable e) {
      // CI shows the beginning of a failure only, so everything that explains it comes first.
      throw new AssertionError(
          "with -Docicat.seed=%d: %s%nnow there is: %s%ncalls without a daemon: %s%n%s"
              .formatted(
                  seed,
                  causes(e),
                  Sweep.of(ocicat, a, b, c),
                  ocicat.oneShots(),
                  String.join("\n", daemonLogs)),
          e);
    }
  }

  private static String causes(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .map(Throwable::toString)
        .collect(Collectors.joining("; because of "));
  }

  private void killWhileClientsRun(Installation ocicat, List<Host> containers, Random random)
      throws Exception {
    Host[] hosts = containers.toArray(Host[]::new);
    List<String> nothing;
    try (DaemonProcess _ = ocicat.startDaemon()) {
      Pod first = new Pod(ocicat, hosts[0], "first", 8080);
      first.mapPort(first.add().run()).run();
      first.delAll();
      nothing = Sweep.of(ocicat, hosts);
    }
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Future<Integer>> cycles = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Pod pod = new Pod(ocicat, containers.get(i), "c" + i, 8080 + i);
        long clientSeed = random.nextLong();
        cycles.add(clients.submit(() -> cycle(pod, new Random(clientSeed))));
      }
      killAgainAndAgain(ocicat, random);
      over.set(true);
      int done = 0;
      for (Future<Integer> count : cycles) {
        done += count.get(2, TimeUnit.MINUTES);
      }
      assertThat(done).isPositive();
    } finally {
      over.set(true);
      clients.shutdownNow();
    }
    try (DaemonProcess daemon = ocicat.startDaemon()) {
      for (int i = 0; i < CLIENTS; i++) {
        new Pod(ocicat, containers.get(i), "c" + i, 8080 + i).delAll();
      }
      // A daemon serves before it has finished every killed call, and may finish a DEL later.
      Eventually.passes(
          Duration.ofSeconds(30),
          () ->
              assertThat(Sweep.difference(nothing, Sweep.of(ocicat, hosts)))
                  .as("%s", daemon.log())
                  .isEmpty());
    }
  }

  private void killAgainAndAgain(Installation ocicat, Random random) throws InterruptedException {
    for (int i = 0; i < KILLS * Integer.getInteger("ocicat.longer", 1); i++) {
      try (DaemonProcess daemon = ocicat.startDaemon()) {
        Thread.sleep(random.nextInt(1500));
        daemon.kill();
        daemonLogs.add("daemon %d: %s".formatted(i, daemon.log()));
      }
      // Callers then find a socket without a listener.
      Thread.sleep(random.nextInt(300));
    }
  }

  /** Returns how often it was added. */
  private int cycle(Pod pod, Random random) {
    int added = 0;
    while (!over.get()) {
      Output output = pod.add().limit(Duration.ofMinutes(2)).attempt();
      if (output.succeeded()) {
        added++;
        String address = Pod.address(output);
        assertThat(owners.put(address, pod.id())).as("another owner of %s", address).isNull();
        if (random.nextBoolean()) {
          pod.mapPort(output).limit(Duration.ofMinutes(2)).attempt();
        }
        owners.remove(address);
      } else {
        assertThat(output.json().get("code").asInt()).as("%s", output).isEqualTo(11);
      }
      Output unmapped = pod.unmapPort().limit(Duration.ofMinutes(2)).attempt();
      assertThat(unmapped.exitCode()).as("%s", unmapped).isZero();
      Output deleted = pod.del().limit(Duration.ofMinutes(2)).attempt();
      assertThat(deleted.exitCode()).as("%s", deleted).isZero();
    }
    return added;
  }
}
