package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.exec.PluginReply;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An ADD succeeds even if the daemon is killed in the middle of it, once (review C4): what was done
 * of it is undone, and it is done again by the daemon that comes next, by one that is started on
 * demand, or without any. {@link CrashPointTest} has the points in between.
 */
@Hosts
class InterruptedAddTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** The last one: all is done and committed, but the caller has no reply. */
  private static final String COMMITTED = "remove from journal";

  /** What the daemon does at once at least. */
  private static final int AT_ONCE = Math.min(10, 4 * Runtime.getRuntime().availableProcessors());

  @TempDir Path folder;

  private final List<DaemonProcess> daemons = new ArrayList<>();

  @Test
  void theDaemonThatComesNextDoesItAgain(Host host, Host container) {
    interrupt(
        host,
        container,
        ocicat -> {
          daemons.getLast().kill();
          daemons.add(ocicat.startDaemon());
        },
        UnaryOperator.identity());
  }

  @Test
  void aProcessOfItsOwnDoesItAgain(Host host, Host container) {
    interrupt(host, container, _ -> daemons.getLast().kill(), UnaryOperator.identity());
  }

  @Test
  void aDaemonOnDemandDoesItAgain(Host host, Host container) {
    try (OnDemandDaemons started = new OnDemandDaemons(folder)) {
      interrupt(
          host,
          container,
          ocicat -> {
            if (daemons.getLast().isAlive()) {
              daemons.getLast().kill();
            } else {
              started.killAll();
            }
          },
          OnDemandDaemons::wanted);
      assertThat(started.pids()).hasSize(1);
    }
  }

  @FunctionalInterface
  private interface Killer {
    void kill(Installation ocicat);
  }

  private void interrupt(Host host, Host container, Killer killer, UnaryOperator<Command> how) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    StopSign sign = new StopSign(ocicat.control());
    try {
      daemons.add(ocicat.startDaemon());
      // The first one makes the bridge, too.
      pod.add().run();
      pod.del().run();
      List<String> points = pointsOf(pod, sign);
      List<String> attached = Sweep.of(ocicat, container);
      pod.del().run();
      List<String> nothing = Sweep.of(ocicat, container);
      assertThat(points.getLast()).isEqualTo(COMMITTED);
      for (int point : List.of(1, points.size() / 2, points.size())) {
        if (daemons.stream().noneMatch(DaemonProcess::isAlive)
            && new OnDemandDaemons(folder).pids().isEmpty()) {
          daemons.add(ocicat.startDaemon());
        }
        Output added = interrupt(ocicat, how.apply(pod.add()), sign, point, killer);
        String where = "killed at %d: %s".formatted(point, points.get(point - 1));
        assertThat(added.exitCode()).as("%s: %s", where, added).isZero();
        assertThat(kinds(Sweep.of(ocicat, container))).as(where).isEqualTo(kinds(attached));
        assertThat(ocicat.leases().resolve(Pod.NETWORK).resolve(Pod.address(added))).exists();
        how.apply(pod.del()).run();
        assertThat(Sweep.difference(nothing, Sweep.of(ocicat, container))).as(where).isEmpty();
      }
    } finally {
      daemons.forEach(DaemonProcess::close);
    }
  }

  private Output interrupt(
      Installation ocicat, Command add, StopSign sign, int point, Killer killer) {
    sign.stopAt(point);
    try (Background shim = add.start()) {
      sign.awaitReached();
      sign.letOthersPass();
      killer.kill(ocicat);
      return shim.await(LIMIT);
    } finally {
      sign.remove();
    }
  }

  /** The points that an undisturbed ADD passes, which stays. */
  private static List<String> pointsOf(Pod pod, StopSign sign) {
    sign.stopAt(Integer.MAX_VALUE);
    pod.add().run();
    List<String> points = sign.passed();
    sign.remove();
    return points;
  }

  /** Without random parts: MACs, names of veths and which address is next. */
  private static List<String> kinds(List<String> sweep) {
    return sweep.stream()
        .map(line -> line.replaceAll("veth[0-9a-f]+|10\\.88\\.0\\.\\d+", "<chance>"))
        .map(line -> line.replaceAll("@if\\d+", "@<chance>"))
        .sorted()
        .toList();
  }

  @Test
  void onlyWhatTheSameCallDidIsUndone(Host host, Host container) {
    Installation ocicat = Installation.in(folder, host);
    Pod pod = new Pod(ocicat, container, "c1", 8080);
    JavaClient client = new JavaClient(ocicat);
    try (DaemonProcess _ = ocicat.startDaemon()) {
      Command first = pod.add().env("OCICAT_CALL_ID", "first");
      assertThat(client.call(first, host, container, System.nanoTime()).exitCode()).isZero();
      List<String> attached = Sweep.of(ocicat, container);

      // The caller of an earlier version, one that repeats another call, and a second ADD.
      Command again = pod.add().env("OCICAT_CALL_AGAIN", "1");
      for (Command other :
          List.of(pod.add(), again, again.env("OCICAT_CALL_ID", "second"), first)) {
        PluginReply refused = client.call(other, host, container, System.nanoTime());
        assertThat(refused.exitCode()).as("%s", other).isEqualTo(1);
        assertThat(Sweep.difference(attached, Sweep.of(ocicat, container))).isEmpty();
      }

      PluginReply added =
          client.call(again.env("OCICAT_CALL_ID", "first"), host, container, System.nanoTime());
      assertThat(added.exitCode()).isZero();
      assertThat(kinds(Sweep.of(ocicat, container))).isEqualTo(kinds(attached));
      pod.del().run();
      assertThat(ocicat.records("attachments")).isEmpty();
    }
  }

  /** As many as run at once wait for host-local's lock, and the others for their turn. */
  @Test
  void noneOfTenInFlightFails(Host host) {
    Installation ocicat = Installation.in(folder, host);
    List<Host> containers = new ArrayList<>();
    try {
      List<Background> shims = new ArrayList<>();
      List<Pod> pods = new ArrayList<>();
      daemons.add(ocicat.startDaemon());
      for (int i = 0; i < 10; i++) {
        containers.add(Host.open());
        pods.add(new Pod(ocicat, containers.getLast(), "c" + i, 8080));
      }
      pods.getFirst().add().run();
      pods.getFirst().del().run();
      List<String> nothing = sweep(ocicat, containers);
      Path lock = ocicat.leases().resolve(Pod.NETWORK).resolve("lock");
      try (FileLock _ = FileLock.acquire(lock, FileLock.Mode.EXCLUSIVE)) {
        pods.forEach(pod -> shims.add(pod.add().start()));
        Eventually.await(
            "ADDs under way", LIMIT, () -> ocicat.records("journal").size() >= AT_ONCE);
        daemons.getLast().kill();
      }
      daemons.add(ocicat.startDaemon());

      List<String> addresses = new ArrayList<>();
      for (Background shim : shims) {
        Output added = shim.await(LIMIT);
        assertThat(added.exitCode()).as("%s", added).isZero();
        addresses.add(Pod.address(added));
      }
      assertThat(addresses).doesNotHaveDuplicates();
      assertThat(ocicat.records("attachments")).hasSize(pods.size());
      assertThat(sweep(ocicat, containers).stream().filter(line -> line.startsWith("lease ")))
          .hasSize(pods.size());
      pods.forEach(pod -> pod.del().run());
      assertThat(Sweep.difference(nothing, sweep(ocicat, containers))).isEmpty();
    } finally {
      daemons.forEach(DaemonProcess::close);
      containers.forEach(Host::close);
    }
  }

  private static List<String> sweep(Installation ocicat, List<Host> containers) {
    return Sweep.of(ocicat, containers.toArray(Host[]::new));
  }
}
