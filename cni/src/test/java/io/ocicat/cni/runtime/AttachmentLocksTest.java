package io.ocicat.cni.runtime;

import static io.ocicat.cni.runtime.Lab.container;
import static io.ocicat.cni.runtime.Lab.fails;
import static io.ocicat.cni.runtime.Lab.list;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.Deadline;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.exec.Verb;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the specification says about concurrent operations. */
@Timeout(60)
class AttachmentLocksTest {
  private static final Duration SHORT = Duration.ofMillis(50);

  @TempDir Path directory;
  private Lab lab;

  @BeforeEach
  void open() {
    lab = new Lab(directory);
  }

  private static ConfigList network(String name) {
    return ConfigList.parse(
        "{\"name\":\"%s\",\"cniVersion\":\"1.1.0\",\"plugins\":[{\"type\":\"a\"}]}"
            .formatted(name));
  }

  private void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Starts an ADD that stays in its plugin until the latch is open. */
  private Future<?> occupy(ExecutorService threads, Network network, CountDownLatch until) {
    CountDownLatch inside = new CountDownLatch(1);
    lab.recorder.on(
        Verb.ADD,
        "a",
        _ -> {
          inside.countDown();
          await(until);
          return Recorder.ok("{}");
        });
    Future<?> running = threads.submit(() -> network.add(container()));
    await(inside);
    lab.recorder.on(Verb.ADD, "a", Recorder.ok("{}"));
    return running;
  }

  @Test
  void operationsOnOneContainerWaitForEachOtherAlsoAcrossNetworks() throws Exception {
    lab.install("a");
    Cni cni = lab.builder().timeLimit(SHORT).build();
    CountDownLatch done = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> running = occupy(threads, lab.cni().network(network("one")), done);
      for (Network network : List.of(cni.network(network("one")), cni.network(network("two")))) {
        fails(() -> network.del(container().ifName("eth5")))
            .withMessage("container \"c1\" is busy: another operation on it has not ended in time")
            .matches(e -> e.is(ErrorCode.TRY_AGAIN_LATER));
      }
      assertThat(lab.recorder.order()).containsExactly("ADD a");
      done.countDown();
      running.get();
    }
    lab.cni().network(network("two")).del(container());
  }

  @Test
  void operationsOnOneContainerNeverOverlap() throws Exception {
    lab.install("a");
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    lab.recorder.on(
        Verb.DEL,
        "a",
        _ -> {
          most.accumulateAndGet(inside.incrementAndGet(), Math::max);
          LockSupport.parkNanos(100_000);
          inside.decrementAndGet();
          return Recorder.ok("");
        });
    Cni one = lab.cni();
    Cni other = lab.cni();
    List<Runnable> tasks = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      Network network = (i % 2 == 0 ? one : other).network(network(i % 3 == 0 ? "x" : "y"));
      tasks.add(() -> network.del(container()));
    }
    Lab.together(tasks);
    assertThat(lab.recorder.calls()).hasSize(40);
    assertThat(most).hasValue(1);
  }

  @Test
  void differentContainersRunAtTheSameTime() {
    lab.install("a");
    CountDownLatch all = new CountDownLatch(4);
    lab.recorder.on(
        Verb.ADD,
        "a",
        _ -> {
          all.countDown();
          await(all);
          return Recorder.ok("{}");
        });
    Network network = lab.cni().network(network("net"));
    Network same = lab.cni().network(network("net"));
    List<Runnable> tasks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String id = "c" + i;
      Network either = i % 2 == 0 ? network : same;
      tasks.add(() -> either.add(Container.of(id, Lab.NETNS)));
    }
    Lab.together(tasks);
    assertThat(network.attachments()).hasSize(4);
  }

  @Test
  void gcWaitsForOperationsOnItsNetworkOnly() throws Exception {
    lab.install("a");
    Cni cni = lab.builder().timeLimit(SHORT).build();
    CountDownLatch done = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> running = occupy(threads, lab.cni().network(network("net")), done);
      fails(() -> cni.network(network("net")).gc(List.of()))
          .withMessage("network \"net\" is busy: another operation on it has not ended in time");
      lab.cni().network(network("other")).gc(List.of());
      assertThat(lab.recorder.order()).containsExactly("ADD a", "GC a");
      done.countDown();
      running.get();
    }
  }

  @Test
  void operationsWaitForGcOfTheirNetworkOnly() throws Exception {
    lab.install("a");
    Cni own = lab.cni();
    Cni impatient = lab.builder().timeLimit(SHORT).build();
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    lab.recorder.on(
        Verb.GC,
        "a",
        _ -> {
          inside.countDown();
          await(done);
          return Recorder.ok("");
        });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> gc = threads.submit(() -> own.network(network("net")).gc(List.of()));
      await(inside);
      fails(() -> impatient.network(network("net")).add(container()))
          .withMessageStartingWith("network \"net\" is busy");
      own.network(network("other")).add(container());
      done.countDown();
      gc.get();
    }
    own.network(network("net")).add(container());
  }

  @Test
  void anInterruptedWaitEnds() throws Exception {
    lab.install("a");
    CountDownLatch done = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Network network = lab.cni().network(network("net"));
      Future<?> running = occupy(threads, network, done);
      Thread.currentThread().interrupt();
      fails(() -> network.del(container()))
          .withMessageStartingWith("interrupted while waiting for another operation on ");
      assertThat(Thread.interrupted()).isTrue();
      done.countDown();
      running.get();
    }
  }

  @Test
  void anotherProcessIsWaitedForAndItsLockEndsWithIt() {
    Network patient = lab.network("1.1.0", "a");
    patient.add(container());
    Network net = lab.builder().timeLimit(SHORT).build().network(list("1.1.0", "a"));
    Command command =
        Command.of(
            System.getProperty("java.home") + "/bin/java",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            Holder.class.getName(),
            lab.cache.toString());
    Path ready = lab.cache.resolve("ready");
    try (Background other = command.start()) {
      Eventually.await(
          "the other process to have the lock", Duration.ofSeconds(30), () -> Files.exists(ready));
      fails(() -> net.del(container())).withMessageStartingWith("container \"c1\" is busy");
      fails(() -> net.gc(List.of())).withMessageStartingWith("network \"net\" is busy");
      patient.add(Container.of("c2", Lab.NETNS));
      assertThat(other.isAlive()).isTrue();
    }
    patient.del(container());
    patient.gc(List.of());
  }

  /** Takes the lock of an attachment and keeps it until it is killed. */
  static final class Holder {
    private Holder() {}

    static void main(String[] args) throws IOException, InterruptedException {
      Path cache = Path.of(args[0]);
      AttachmentLocks locks =
          new AttachmentLocks(
              new LockFile(new ResultCache(cache, System.err::println).own()), System.err::println);
      try (AttachmentLocks.Held _ =
          locks.attachment(new NetworkName("net"), new ContainerId("c1"), Deadline.NEVER)) {
        Files.createFile(cache.resolve("ready"));
        Thread.sleep(Duration.ofMinutes(5));
      }
    }
  }

  @Test
  void aLockFileThatSomebodyRemovedIsMadeAnew() throws IOException {
    Network network = lab.network("1.1.0", "a");
    network.add(container());
    Path file = lab.cacheFile(".ocicat").resolve("lock");
    Files.delete(file);
    network.del(container());
    assertThat(file).exists();
  }

  @Test
  void delWorksWhereNoLockFileCanBe() {
    Lab.write(lab.cache, "not a directory");
    lab.network("1.1.0", "a").del(container());
    assertThat(lab.recorder.order()).containsExactly("DEL a");
    assertThat(lab.warnings)
        .contains(
            "container \"c1\" is not protected from other processes: not a directory",
            "network \"net\" is not protected from other processes: not a directory");
  }

  @Test
  void aFailedOperationGivesItsLocksBack() {
    lab.install("a").recorder.on(Verb.ADD, "a", Recorder.error(7, "no"));
    Network network =
        lab.builder().timeLimit(Duration.ofSeconds(30)).build().network(list("1.1.0", "a"));
    for (int i = 0; i < 3; i++) {
      fails(() -> network.add(container())).withMessageEndingWith("no");
    }
    network.gc(List.of());
  }
}
