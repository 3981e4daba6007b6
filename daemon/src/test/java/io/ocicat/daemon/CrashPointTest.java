package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.linux.FileLock;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the daemon, the shim, or both at the numbered crash points of every kind of call, then does
 * what a runtime may do next; nothing must be left.
 *
 * <p>The shim is killed at all points. Kills of the daemon cost the start of a JVM each, and there
 * are more than CI has time for: a run makes {@value #DAEMON_KILLS} of each kind of call, and the
 * next round goes on where this one ends. The day is the round, {@code -Docicat.round} another one.
 * Each time around, a point gets the next of the {@link Variant}s. {@code -Docicat.longer=1} goes
 * around once in one run, {@code -Docicat.longer=8} visits every point in every variant.
 */
@Hosts
class CrashPointTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** How many kills of the daemon, each of which costs the start of a JVM, CI has time for. */
  private static final int DAEMON_KILLS = 4;

  private enum Victim {
    SHIM,
    DAEMON,
    BOTH
  }

  private enum Then {
    DEL,
    GC,
    RESTART
  }

  private static final List<Then> NEXT = List.of(Then.values());

  /**
   * How a kill goes on.
   *
   * @param restartFirst whether the next daemon is there before the runtime does something
   */
  private record Variant(Victim victim, Then then, boolean restartFirst) {
    /** Those with a daemon killed. */
    static final List<Variant> ALL =
        List.of(
            new Variant(Victim.DAEMON, Then.DEL, false),
            new Variant(Victim.BOTH, Then.DEL, true),
            new Variant(Victim.DAEMON, Then.GC, true),
            new Variant(Victim.BOTH, Then.RESTART, true),
            new Variant(Victim.BOTH, Then.DEL, false),
            new Variant(Victim.DAEMON, Then.DEL, true),
            new Variant(Victim.BOTH, Then.GC, true),
            new Variant(Victim.DAEMON, Then.RESTART, true));

    static Variant ofShim(long turn) {
      return new Variant(Victim.SHIM, NEXT.get(Math.floorMod(turn, NEXT.size())), false);
    }
  }

  /** A point, counted from 1, and how often the rotation has been around. */
  private record Visit(int point, long lap) {
    Variant variant() {
      return Variant.ALL.get(Math.floorMod(point + lap, Variant.ALL.size()));
    }
  }

  @TempDir Path folder;

  private final long round =
      Long.getLong("ocicat.round", LocalDate.now(ZoneOffset.UTC).toEpochDay());

  @Test
  void anAddThatIsKilledLeavesNothing(Host host, Host container) {
    try (Scene scene = new Scene(folder, host, container)) {
      scene.killEverywhere(_ -> {}, Pod::add);
    }
  }

  @Test
  void aPortMappingThatIsKilledLeavesNothing(Host host, Host container) {
    try (Scene scene = new Scene(folder, host, container)) {
      scene.killEverywhere(pod -> scene.added = pod.add().run(), pod -> pod.mapPort(scene.added()));
    }
  }

  @Test
  void aDelThatIsKilledLeavesNothing(Host host, Host container) {
    try (Scene scene = new Scene(folder, host, container)) {
      scene.killEverywhere(pod -> pod.add().run(), Pod::del);
    }
  }

  @Test
  void theEndOfAPortMappingThatIsKilledLeavesNothing(Host host, Host container) {
    try (Scene scene = new Scene(folder, host, container)) {
      scene.killEverywhere(pod -> pod.mapPort(pod.add().run()).run(), Pod::unmapPort);
    }
  }

  @Test
  void aGcThatIsKilledLeavesNothing(Host host, Host container) {
    try (Scene scene = new Scene(folder, host, container)) {
      scene.killEverywhere(pod -> pod.add().run(), pod -> Pod.gc(pod.ocicat(), "bridge"));
    }
  }

  @Test
  void aRecoveryThatIsKilledLeavesNothing(Host host, Host container) {
    try (Scene scene = new Scene(folder, host, container)) {
      scene.killRecovery();
    }
  }

  @Test
  void aCallWithoutTheDaemonThatIsKilledIsFinishedByIt(Host host, Host container) {
    try (Scene scene = new Scene(folder, host, container)) {
      scene.killAlone();
    }
  }

  /**
   * What it allocated after the daemon had read its journal does not make it a newer attachment.
   */
  @Test
  void aSlowCallWithoutTheDaemonThatIsKilledIsFinishedByIt(Host host, Host container)
      throws InterruptedException {
    try (Scene scene = new Scene(folder, host, container)) {
      scene.killSlowlyAlone();
    }
  }

  /** A host with a daemon, and its state when no container is attached. */
  private final class Scene implements AutoCloseable {
    final Pod pod;
    private final Installation ocicat;
    private final StopSign sign;
    private final List<String> nothing;
    private DaemonProcess daemon;
    private Output added = new Output(List.of(), 0, "", "");

    Scene(Path folder, Host host, Host container) {
      System.out.println("the daemon is killed where it is with -Docicat.round=" + round);
      ocicat = Installation.in(folder, host);
      sign = new StopSign(ocicat.control());
      pod = new Pod(ocicat, container, "c1", 8080);
      daemon = ocicat.startDaemon();
      pod.mapPort(pod.add().run()).run();
      pod.delAll();
      nothing = Sweep.of(ocicat, container);
    }

    private List<String> leftovers() {
      return Sweep.difference(nothing, Sweep.of(ocicat, pod.host()));
    }

    Output added() {
      return added;
    }

    void killEverywhere(Before before, Function<Pod, Command> operation) {
      List<String> points = pointsOf(before, operation);
      for (int point = 1; point <= points.size(); point++) {
        kill(before, operation, point, Variant.ofShim(point + round));
      }
      assertThat(daemon.log()).doesNotContain("in a way that none should");
      for (Visit visit : visits(points.size())) {
        kill(before, operation, visit.point(), visit.variant());
      }
    }

    /** The points that one undisturbed operation passes. */
    private List<String> pointsOf(Before before, Function<Pod, Command> operation) {
      before.prepare(pod);
      sign.stopAt(Integer.MAX_VALUE);
      operation.apply(pod).run();
      List<String> points = sign.passed();
      sign.remove();
      pod.delAll();
      assertThat(points).hasSizeGreaterThan(3);
      assertThat(leftovers()).isEmpty();
      return points;
    }

    private List<Visit> visits(int points) {
      Integer laps = Integer.getInteger("ocicat.longer");
      long first = laps == null ? round * DAEMON_KILLS : 0;
      long count = laps == null ? Math.min(DAEMON_KILLS, points) : (long) laps * points;
      return LongStream.range(first, first + count)
          .mapToObj(i -> new Visit(1 + Math.floorMod(i, points), Math.floorDiv(i, points)))
          .toList();
    }

    private void kill(Before before, Function<Pod, Command> operation, int point, Variant variant) {
      Victim victim = variant.victim();
      before.prepare(pod);
      Command call = operation.apply(pod);
      String verb = call.environment().get("CNI_COMMAND");
      sign.stopAt(point);
      String where;
      try (Background shim = call.start()) {
        where = "%s, at point %d of %s".formatted(victim, point, verb);
        where += ": " + sign.awaitReached();
        if (victim != Victim.DAEMON) {
          Command.of("kill", "-KILL", Long.toString(shim.pid())).run();
        }
        if (victim != Victim.SHIM) {
          daemon.close();
        }
        if (victim == Victim.DAEMON) {
          Output output = shim.await(TIMEOUT);
          assertThat(output.exitCode()).as("%s: %s", where, output).isZero();
        }
        sign.remove();
      }
      cleanUp(where, variant);
    }

    private void cleanUp(String where, Variant variant) {
      Victim victim = variant.victim();
      Then then = variant.then();
      boolean restartFirst = variant.restartFirst();
      String what = where + ", then " + (restartFirst ? "restart and " : "") + then;
      if (restartFirst) {
        daemon = ocicat.startDaemon();
        assertThat(ocicat.records("journal")).as(what).isEmpty();
      }
      switch (then) {
        case DEL -> pod.delAll();
        case GC -> {
          Pod.gc(ocicat, "portmap").run();
          Pod.gc(ocicat, "bridge").run();
        }
        case RESTART -> {
          if (!ocicat.records("attachments").isEmpty()) {
            pod.delAll();
          }
        }
      }
      if (victim == Victim.SHIM) {
        // A rollback may still be in progress: a call for the same attachment waits for it.
        pod.delAll();
      }
      assertThat(leftovers()).as(what).isEmpty();
      if (victim != Victim.SHIM && !restartFirst) {
        daemon = ocicat.startDaemon();
      }
    }

    /** A daemon that is killed while it undoes what was killed before leaves it to the next one. */
    void killRecovery() {
      int half = pointsOf(_ -> {}, Pod::add).size() / 2;
      leaveHalfAnAdd(half);
      sign.stopAt(Integer.MAX_VALUE);
      daemon = ocicat.startDaemon();
      int points = sign.passed().size();
      sign.remove();
      assertThat(points).isGreaterThan(3);
      assertThat(leftovers()).isEmpty();
      for (Visit visit : visits(points)) {
        leaveHalfAnAdd(half);
        sign.stopAt(visit.point());
        try (DaemonProcess _ = ocicat.launchDaemon()) {
          sign.awaitReached();
        }
        sign.remove();
        daemon = ocicat.startDaemon();
        assertThat(leftovers()).as("recovery killed at %d", visit.point()).isEmpty();
      }
    }

    void killAlone() {
      StopSign alone = new StopSign(ocicat.controlAlone());
      alone.stopAt(7);
      try (Background call = ocicat.callAlone(pod.add()).start()) {
        alone.awaitReached();
        assertThat(ocicat.records("journal")).hasSize(1);
        assertThat(leftovers()).isNotEmpty();
        Command.of("kill", "-KILL", Long.toString(call.pid())).run();
      }
      alone.remove();
      Eventually.passes(TIMEOUT, () -> assertThat(leftovers()).isEmpty());
    }

    void killSlowlyAlone() throws InterruptedException {
      StopSign alone = new StopSign(ocicat.controlAlone());
      alone.stopAt(7);
      Path lock = ocicat.leases().resolve(Pod.NETWORK).resolve("lock");
      FileLock held = FileLock.acquire(lock, FileLock.Mode.EXCLUSIVE);
      try (Background call = ocicat.callAlone(pod.add()).start()) {
        Eventually.await("the call's begin", TIMEOUT, () -> !ocicat.records("journal").isEmpty());
        // The daemon scans it more often than once a second.
        Thread.sleep(1200);
        held.close();
        alone.awaitReached();
        assertThat(leftovers()).anyMatch(line -> line.startsWith("+ lease"));
        Command.of("kill", "-KILL", Long.toString(call.pid())).run();
      }
      alone.remove();
      Eventually.passes(TIMEOUT, () -> assertThat(leftovers()).isEmpty());
    }

    private void leaveHalfAnAdd(int half) {
      sign.stopAt(half);
      try (Background _ = pod.add().start()) {
        sign.awaitReached();
        daemon.close();
      }
      sign.remove();
      assertThat(ocicat.records("journal")).hasSize(1);
      assertThat(leftovers()).isNotEmpty();
    }

    @Override
    public void close() {
      daemon.close();
    }
  }

  @FunctionalInterface
  private interface Before {
    void prepare(Pod pod);
  }
}
