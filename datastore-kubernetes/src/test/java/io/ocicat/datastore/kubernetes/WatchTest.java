package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Seeded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Watches survive their streams, and deliver every change once and in order. */
class WatchTest {
  private static final ResourceQuery SETS = ResourceQuery.of(Kind.NETWORK_SET);
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final ApiServer server = new ApiServer();
  private final KubernetesDatastore datastore =
      Opening.open(Opening.config(server.url(), ""), Duration.ofSeconds(5));

  @BeforeEach
  void define() {
    server.define(Crds.of(ApiGroup.V1));
    server.createNamespace("shop");
  }

  @AfterEach
  void close() {
    datastore.close();
    server.close();
  }

  private static Resource set(String name) {
    return Resource.of(
        new ResourceKey.Named(Kind.NETWORK_SET, "shop", name),
        spec -> spec.putArray("nets").add("10.0.0.0/8"));
  }

  private String now() {
    return datastore.list(SETS).revision();
  }

  @Test
  void aDroppedStreamIsFollowedByOneThatGoesOn() {
    try (ResourceWatch watch = datastore.watch(SETS, now())) {
      Resource first = datastore.create(set("one"));
      assertThat(WatchReader.events(watch, 1)).containsExactly(new ResourceEvent.Added(first));
      server.dropWatches();
      Resource second = datastore.create(set("two"));

      assertThat(WatchReader.events(watch, 1)).containsExactly(new ResourceEvent.Added(second));
    }
  }

  @Test
  void anEventThatWasCutOffComesAgain() {
    try (ResourceWatch watch = datastore.watch(SETS, now())) {
      server.cutWatches(true);
      Resource created = datastore.create(set("one"));
      Eventually.passes(
          LIMIT,
          () ->
              assertThat(server.seen())
                  .filteredOn(seen -> seen.verb().equals("watch"))
                  .hasSizeGreaterThan(1));
      server.cutWatches(false);

      assertThat(WatchReader.events(watch, 1)).containsExactly(new ResourceEvent.Added(created));
    }
  }

  @Test
  void aRestartOfTheServerIsNotNoticed() {
    try (ResourceWatch watch = datastore.watch(SETS, now())) {
      datastore.create(set("one"));
      WatchReader.events(watch, 1);
      server.restart();
      Resource second = datastore.create(set("two"));

      assertThat(WatchReader.events(watch, 1)).containsExactly(new ResourceEvent.Added(second));
    }
  }

  /** Otherwise a watch of resources that never change would have to list again after each break. */
  @Test
  void bookmarksMoveASilentWatchOn() {
    String before = now();
    try (ResourceWatch watch = datastore.watch(SETS, before)) {
      server.createNamespace("elsewhere");
      Eventually.passes(
          LIMIT,
          () ->
              assertThat(Long.parseLong(watch.next(Duration.ofMillis(200)).revision()))
                  .isGreaterThan(Long.parseLong(before)));
      server.store().compact();
      server.dropWatches();
      Resource created = datastore.create(set("one"));

      assertThat(WatchReader.events(watch, 1)).containsExactly(new ResourceEvent.Added(created));
    }
  }

  @Test
  void lostHistoryEndsAWatch() {
    String before = now();
    datastore.create(set("one"));
    server.store().compact();

    for (boolean inStream : new boolean[] {false, true}) {
      if (inStream) {
        server.tellGoneInStream();
      }
      try (ResourceWatch watch = datastore.watch(SETS, before)) {
        assertThatThrownBy(() -> watch.next(Duration.ofSeconds(20)))
            .isInstanceOf(CompactedException.class)
            .hasMessageContaining("list again");
        assertThatThrownBy(() -> watch.next(Duration.ofSeconds(20)))
            .isInstanceOf(CompactedException.class);
      }
    }
  }

  @Test
  void aWatchThatIsNotPermittedSaysSo() {
    server.deny("watch", "networksets.crd.projectcalico.org");
    try (ResourceWatch watch = datastore.watch(SETS, now())) {
      assertThatThrownBy(() -> watch.next(Duration.ofSeconds(20)))
          .isInstanceOf(UnauthorizedException.class)
          .hasMessageContaining("\"watch\" on networksets.crd.projectcalico.org");
    }
  }

  @Test
  void aServerThatIsGoneIsReportedAtTheTimeout() {
    try (ResourceWatch watch = datastore.watch(SETS, now())) {
      server.stop();

      Eventually.passes(
          LIMIT,
          () ->
              assertThatThrownBy(() -> watch.next(Duration.ofMillis(100)))
                  .isInstanceOf(UnavailableException.class));
    }
  }

  @Test
  void closingWakesTheReader() throws Exception {
    ResourceWatch watch = datastore.watch(SETS, now());
    try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> reading = thread.submit(() -> watch.next(Duration.ofMinutes(5)));
      watch.close();

      assertThatThrownBy(() -> reading.get(20, TimeUnit.SECONDS))
          .hasCauseInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void aWatchNeedsARevision() {
    assertThatThrownBy(() -> datastore.watch(SETS, "")).isInstanceOf(InvalidException.class);
  }

  /** A reader that does not read makes the server wait, and memory does not grow. */
  @Test
  void aSlowReaderMissesNothing() {
    int count = 600;
    try (ResourceWatch watch = datastore.watch(SETS, now())) {
      Resource last = datastore.create(set("one"));
      for (int i = 1; i < count; i++) {
        int value = i;
        last =
            datastore.update(
                last.edit(
                    d ->
                        ((ObjectNode) d.get("spec"))
                            .putArray("nets")
                            .add("10.%d.%d.0/24".formatted(value / 256, value % 256))));
      }

      List<ResourceEvent> events = WatchReader.events(watch, count);
      assertThat(events).hasSize(count);
      assertThat(events.getLast()).isEqualTo(new ResourceEvent.Modified(last));
    }
  }

  /**
   * Writers create, change and delete while streams are dropped and cut off and the server is
   * overloaded; the watch must deliver exactly the history that the server kept.
   */
  @Test
  void whatIsToldIsTheHistoryWhateverBreaks() {
    Seeded.forAll(
        2,
        random -> {
          List<ResourceEvent> told = new ArrayList<>();
          String from = now();
          try (ResourceWatch watch = datastore.watch(SETS, from);
              ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writers = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
              long seed = random.nextLong();
              writers.add(threads.submit(() -> write(datastore, new Random(seed))));
            }
            while (writers.stream().anyMatch(writer -> !writer.isDone())) {
              switch (random.nextInt(4)) {
                case 0 -> server.dropWatches();
                case 1 -> server.cutWatches(true);
                default -> {
                  if (server.hasFailed("watch")) {
                    server.fail(
                        "watch",
                        random.nextBoolean()
                            ? ApiServer.Fault.OVERLOADED
                            : ApiServer.Fault.DROPPED);
                  }
                }
              }
              try {
                told.addAll(watch.next(Duration.ofMillis(30)).events());
              } catch (UnavailableException _) {
                // It may be called again.
              }
              server.cutWatches(false);
            }
            for (Future<?> writer : writers) {
              writer.get(60, TimeUnit.SECONDS);
            }
            told.addAll(WatchReader.events(watch, Math.max(0, history(from).size() - told.size())));
          }
          assertThat(told.stream().map(WatchTest::line).toList()).isEqualTo(history(from));
          for (Resource left : datastore.list(SETS).items()) {
            datastore.delete(left);
          }
        });
  }

  private static String line(ResourceEvent event) {
    String what =
        switch (event) {
          case ResourceEvent.Added _ -> "ADDED";
          case ResourceEvent.Modified _ -> "MODIFIED";
          case ResourceEvent.Deleted _ -> "DELETED";
          case ResourceEvent.Unreadable _ -> "UNREADABLE";
        };
    return event.revision() + " " + what + " " + event.key().namespace() + "/" + event.key().name();
  }

  private List<String> history(String from) {
    return server
        .store()
        .changes("networksets.crd.projectcalico.org", Long.parseLong(from))
        .stream()
        .map(change -> change.revision() + " " + change.type() + " " + change.key())
        .toList();
  }

  private static void write(Datastore door, Random random) {
    for (int i = 0; i < 40; i++) {
      ResourceKey key = set("set-" + random.nextInt(5)).key();
      try {
        Resource read = door.get(key);
        if (random.nextInt(3) == 0) {
          door.delete(read);
        } else {
          door.update(
              read.edit(
                  d ->
                      ((ObjectNode) d.get("spec"))
                          .putArray("nets")
                          .add("10.0.%d.0/24".formatted(random.nextInt(256)))));
        }
      } catch (NotFoundException _) {
        try {
          door.create(set(key.name()));
        } catch (ExistsException _) {
          // A concurrent writer was faster.
        }
      } catch (ConflictException _) {
        // A concurrent writer was faster.
      }
    }
  }
}
