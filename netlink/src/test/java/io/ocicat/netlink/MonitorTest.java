package io.ocicat.netlink;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.Monitor.Changed;
import io.ocicat.netlink.Monitor.Event;
import io.ocicat.netlink.Monitor.Lost;
import io.ocicat.netlink.Monitor.Removed;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind.Bridge;
import io.ocicat.netlink.link.LinkKind.Veth;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Watching changes, most of them made by {@code ip}. */
@Hosts
class MonitorTest {
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final Duration NOW = Duration.ZERO;
  private static final int RTM_NEWADDR = 20;
  private static final int RTM_DELADDR = 21;
  private static final int GROUP_IPV4_ADDRESS = 5;
  private static final int IFADDRMSG = 8;

  /** The index of the link that got or lost an address. */
  private record AddressOf(int link) {}

  private static final Topic<AddressOf> ADDRESSES =
      Topic.of(
          RTM_NEWADDR,
          RTM_DELADDR,
          message -> new AddressOf(message.header(IFADDRMSG).getInt(4)),
          GROUP_IPV4_ADDRESS);

  private Host host;
  private NetNs ns;
  private NetlinkSocket net;

  @BeforeEach
  void open(Host machine) {
    host = machine;
    ns = NetNs.open(machine.path());
    net = NetlinkSocket.open(Protocol.ROUTE, ns);
  }

  @AfterEach
  void close() {
    net.close();
    ns.close();
  }

  @Test
  void aLinkComesChangesAndGoes() {
    try (Monitor<Link> monitor = Monitor.open(ns, Links.CHANGES)) {
      host.exec("ip", "link", "add", "br0", "type", "bridge");
      host.exec("ip", "link", "set", "br0", "mtu", "1400");
      host.exec("ip", "link", "del", "br0");

      List<Event<Link>> events =
          until(
              monitor,
              event -> event instanceof Removed<Link>(Link link) && link.name().equals("br0"));

      assertThat(events).filteredOn(Changed.class::isInstance).isNotEmpty();
      assertThat(events.getFirst())
          .isInstanceOfSatisfying(
              Changed.class,
              changed -> assertThat(((Link) changed.object()).name()).isEqualTo("br0"));
      assertThat(events)
          .anyMatch(event -> event instanceof Changed<Link>(Link link) && link.mtu() == 1400);
      assertThat(events.getLast())
          .isInstanceOfSatisfying(
              Removed.class,
              removed -> assertThat(((Link) removed.object()).kind()).isEqualTo("bridge"));
    }
  }

  @Test
  void aPortThatLeavesItsBridgeIsNotGone() {
    Link bridge = Links.create(net, LinkSettings.named("br0"), new Bridge());
    Link port =
        Links.create(
            net,
            LinkSettings.named("v0").master(bridge.index()),
            new Veth(LinkSettings.named("p0")));

    try (Monitor<Link> monitor = Monitor.open(ns, Links.CHANGES)) {
      net.perform(Links.noMaster(port.index()), Links.rename(port.index(), "last"));

      List<Event<Link>> events =
          until(
              monitor,
              event -> event instanceof Changed<Link>(Link link) && link.name().equals("last"));
      assertThat(events).noneMatch(Removed.class::isInstance);
      assertThat(events)
          .anyMatch(event -> event instanceof Changed<Link>(Link link) && link.master() == 0);
    }
  }

  @Test
  void severalTopicsAreToldApartByTheirType() {
    try (Monitor<Record> monitor = Monitor.open(ns, Links.CHANGES, ADDRESSES)) {
      host.exec("ip", "address", "add", "192.0.2.1/32", "dev", "lo");
      host.exec("ip", "link", "set", "lo", "mtu", "9000");
      host.exec("ip", "address", "del", "192.0.2.1/32", "dev", "lo");

      assertThat(
              Stream.generate(() -> monitor.poll(LONG).orElseThrow())
                  .map(MonitorTest::describe)
                  .takeWhile(text -> !text.isEmpty())
                  .distinct()
                  .limit(3)
                  .toList())
          .containsExactly("+address of 1", "+link lo", "-address of 1");
    }
  }

  @Test
  void nothingHappeningIsNothing() {
    try (Monitor<Link> monitor = Monitor.open(ns, Links.CHANGES)) {
      assertThat(monitor.poll(NOW)).isEmpty();
      assertThat(monitor.poll(Duration.ofMillis(20))).isEmpty();
      assertThat(monitor.isClosed()).isFalse();
    }
  }

  @Test
  void whatHappensInOtherNamespacesIsNotTold(Host other) {
    try (Monitor<Link> monitor = Monitor.open(ns, Links.CHANGES)) {
      other.exec("ip", "link", "add", "br0", "type", "bridge");

      assertThat(monitor.poll(Duration.ofMillis(50))).isEmpty();
    }
  }

  @Test
  void closingEndsTheWaitOfAnotherThread() throws Exception {
    Monitor<Link> monitor = Monitor.open(ns, Links.CHANGES);
    CompletableFuture<Optional<Event<Link>>> reader = new CompletableFuture<>();
    Thread thread =
        Thread.ofPlatform().name("monitor-reader").start(() -> reader.complete(monitor.next()));
    awaitWaiting(thread);

    monitor.close();

    assertThat(reader.get(10, TimeUnit.SECONDS)).isEmpty();
    thread.join(LONG);
    assertThat(monitor.isClosed()).isTrue();
    assertThat(monitor.next()).isEmpty();
    assertThat(monitor.poll(LONG)).isEmpty();
    monitor.close();
  }

  @Test
  void aThousandPairsAreAllTold() {
    try (Monitor<Link> monitor = Monitor.open(ns, Links.CHANGES)) {
      net.perform(IntStream.range(0, 1000).mapToObj(MonitorTest::pair).toList());

      Set<String> names = new HashSet<>();
      while (names.size() < 2000) {
        switch (monitor.poll(LONG).orElseThrow()) {
          case Changed<Link>(Link link) -> names.add(link.name());
          case Removed<Link> removed -> throw new AssertionError(removed.toString());
          case Lost<Link> lost -> throw new AssertionError(lost.toString());
        }
      }
    }
    net.perform(Links.deleteGroup(5));
  }

  @Test
  void aLossIsToldOnceAndWhatWasBeforeItIsDropped() {
    int tiny = 1;
    try (Monitor<Link> monitor = Monitor.open(ns, tiny, List.of(Links.CHANGES))) {
      net.perform(IntStream.range(0, 50).mapToObj(MonitorTest::pair).toList());

      assertThat(monitor.poll(LONG)).contains(new Lost<>());
      assertThat(monitor.poll(NOW)).isEmpty();

      net.perform(Links.setMtu(1, 9000));
      assertThat(monitor.poll(LONG).orElseThrow())
          .isInstanceOfSatisfying(
              Changed.class, changed -> assertThat(((Link) changed.object()).index()).isOne());
    }
  }

  @Test
  void openedAndClosedManyTimesNothingIsLeft() throws Exception {
    try (Monitor<Link> first = Monitor.open(ns, Links.CHANGES)) {
      assertThat(first.poll(NOW)).isEmpty();
    }
    long before = openDescriptors();

    for (int i = 0; i < 1000; i++) {
      try (Monitor<Link> monitor = Monitor.open(ns, Links.CHANGES)) {
        assertThat(monitor.poll(NOW)).isEmpty();
      }
    }

    assertThat(openDescriptors()).isLessThanOrEqualTo(before + 2);
  }

  private static NetlinkRequest pair(int number) {
    return Links.create(
        LinkSettings.named("a" + number).group(5),
        new Veth(LinkSettings.named("b" + number).group(5)));
  }

  private static String describe(Event<Record> event) {
    return switch (event) {
      case Changed<Record>(Link link) -> "+link " + link.name();
      case Changed<Record>(AddressOf address) -> "+address of " + address.link();
      case Removed<Record>(Link link) -> "-link " + link.name();
      case Removed<Record>(AddressOf address) -> "-address of " + address.link();
      case Changed<Record> _, Removed<Record> _, Lost<Record> _ -> "";
    };
  }

  private static List<Event<Link>> until(Monitor<Link> monitor, Predicate<Event<Link>> isLast) {
    List<Event<Link>> events = new ArrayList<>();
    do {
      events.add(monitor.poll(LONG).orElseThrow());
    } while (!isLast.test(events.getLast()));
    return events;
  }

  /** A thread that waits in a system call is running for Java, but sleeping for Linux. */
  private static void awaitWaiting(Thread thread) {
    Eventually.await(
        "the reader to wait in the kernel",
        () -> {
          try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            return thread.getState() == Thread.State.RUNNABLE
                && tasks.anyMatch(task -> isAsleep(task, thread));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static boolean isAsleep(Path task, Thread thread) {
    try {
      return Files.readString(task.resolve("stat")).contains("(" + thread.getName() + ") S");
    } catch (IOException e) {
      return false; // a task that ended meanwhile
    }
  }

  private static long openDescriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }
}
