package io.ocicat.plugins.hostlocal;

import static io.ocicat.plugins.Side.GO;
import static io.ocicat.plugins.Side.OURS;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.plugin.Plugin;
import io.ocicat.plugins.Ipam;
import io.ocicat.plugins.Ran;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Seeded;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Both plugins on one directory: one after the other, in any order, and at the same time. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class HostLocalInteropTest {
  @TempDir Path tmp;

  private final Plugin resident = new HostLocalPlugin();

  private Ipam net(String name, String ranges) {
    return Ipam.of(
            "host-local",
            "{\"cniVersion\":\"1.0.0\",\"name\":\"%s\",\"type\":\"bridge\",\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"%s\",\"ranges\":%s}}"
                .formatted(name, tmp, ranges))
        .resident(resident);
  }

  private NetworkDir dir(String name) {
    return new NetworkDir(tmp.resolve(name));
  }

  @ParameterizedTest
  @CsvSource({"GO, OURS", "OURS, GO"})
  void oneReleasesWhatTheOtherLeased(Side leases, Side releases) {
    Ipam net = net("net", "[[{\"subnet\":\"10.1.2.0/24\"}],[{\"subnet\":\"fd00:8::/112\"}]]");
    net.by(leases).add().ok();
    Map<String, String> leased = dir("net").files();
    net.by(releases).check().ok();
    net.by(releases).del().ok();

    assertThat(leased)
        .containsEntry("10.1.2.2", "ctr\r\neth0")
        .containsEntry("fd00:8::2", "ctr\r\neth0");
    assertThat(dir("net").leases()).isEmpty();
    assertThat(net.by(leases).check().error().msg())
        .isEqualTo("host-local: Failed to find address added by container ctr");
  }

  private static final List<String> LAYOUTS =
      List.of(
          "[[{\"subnet\":\"10.1.2.0/29\"}]]",
          "[[{\"subnet\":\"10.1.2.0/30\"},{\"subnet\":\"10.1.3.0/29\",\"gateway\":\"10.1.3.3\"}]]",
          "[[{\"subnet\":\"10.1.2.0/28\",\"rangeStart\":\"10.1.2.9\",\"rangeEnd\":\"10.1.2.15\"}],"
              + "[{\"subnet\":\"fd00::/125\"}]]");

  /**
   * Whichever side runs a step, the outcome is that of the Go plugin alone: the same answer to
   * every call, and the same files to the byte. Ours is sometimes one that has been running all the
   * time, sometimes a new one.
   */
  @Test
  void anyMixOfTheTwoDoesWhatTheOriginalDoesAlone() {
    int[] round = {0};
    Seeded.forAll(
        6,
        random -> {
          String layout = LAYOUTS.get(round[0] % LAYOUTS.size());
          String suffix = "-" + round[0]++;
          List<String> known = new ArrayList<>(List.of("nobody"));
          for (int step = 0; step < 20; step++) {
            Ipam mixed = net("mixed" + suffix, layout).by(random.nextBoolean() ? OURS : GO);
            if (random.nextBoolean()) {
              mixed = mixed.resident(new HostLocalPlugin());
            }
            Ipam alone = net("alone" + suffix, layout).by(GO);
            String id = known.get(random.nextInt(known.size()));
            switch (random.nextInt(8)) {
              case 0, 1, 2, 3 -> {
                id = "c" + step;
                known.add(id);
                compare(mixed.container(id).add(), alone.container(id).add());
              }
              case 4 -> {
                id = "c" + step;
                known.add(id);
                String wanted = "IP=10.1.2." + (8 + random.nextInt(10));
                compare(
                    mixed.container(id).with("CNI_ARGS", wanted).add(),
                    alone.container(id).with("CNI_ARGS", wanted).add());
              }
              case 5 -> compare(mixed.container(id).check(), alone.container(id).check());
              default -> compare(mixed.container(id).del(), alone.container(id).del());
            }
            assertThat(dir("mixed" + suffix).files()).isEqualTo(dir("alone" + suffix).files());
          }
        });
  }

  private static void compare(Ran mixed, Ran alone) {
    assertThat(mixed.exitCode()).as("%s and %s", mixed, alone).isEqualTo(alone.exitCode());
    if (mixed.exitCode() == 0) {
      assertThat(mixed.ok().path("ips")).isEqualTo(alone.ok().path("ips"));
    } else {
      assertThat(mixed.error().msg()).isEqualTo(alone.error().msg());
    }
  }

  private static final String TWO_HUNDRED =
      "[[{\"subnet\":\"10.1.2.0/24\",\"rangeStart\":\"10.1.2.11\",\"rangeEnd\":\"10.1.2.210\"}]]";

  @Test
  void leasingAtTheSameTimeTheyNeverGiveAnAddressTwice() throws Exception {
    Map<String, String> owners = new ConcurrentHashMap<>();
    inParallel(
        (worker, side) -> {
          for (int i = 0; i < 200 / WORKERS + 1; i++) {
            String id = "w%d-%d".formatted(worker, i);
            Ran ran = net("net", TWO_HUNDRED).by(side).container(id).add();
            if (ran.exitCode() == 0) {
              String address = ran.ok().at("/ips/0/address").asString();
              assertThat(owners.put(address, id)).as(address).isNull();
            } else {
              assertThat(ran.error().msg()).contains("no IP addresses available in range set");
            }
          }
        });
    assertThat(owners).hasSize(200);
    Map<String, String> leases = dir("net").leases();
    assertThat(leases).hasSize(200);
    owners.forEach(
        (address, id) ->
            assertThat(leases.get(address.replace("/24", ""))).isEqualTo(id + "\r\neth0"));

    inParallel(
        (worker, side) -> {
          for (int i = 0; i < 200 / WORKERS + 1; i++) {
            // By the other side than the one that leased it.
            String id = "w%d-%d".formatted((worker + 1) % WORKERS, i);
            net("net", TWO_HUNDRED).by(side).container(id).del().ok();
          }
        });
    assertThat(dir("net").leases()).isEmpty();
  }

  /** Few addresses, so that each is reused again and again. */
  @Test
  void comingAndGoingAtTheSameTimeNoAddressHasTwoOwners() throws Exception {
    String ranges =
        "[[{\"subnet\":\"10.1.2.0/27\"}],[{\"subnet\":\"fd00::/123\",\"rangeStart\":\"fd00::2\"}]]";
    Map<String, String> owners = new ConcurrentHashMap<>();
    inParallel(
        (worker, side) -> {
          for (int i = 0; i < (side == OURS ? 60 : 8); i++) {
            String id = "w%d-%d".formatted(worker, i);
            Ipam net = net("net", ranges).by(side).container(id);
            List<String> given = new ArrayList<>();
            net.add().ok().path("ips").forEach(ip -> given.add(ip.path("address").asString()));
            assertThat(given).hasSize(2);
            given.forEach(
                address -> assertThat(owners.putIfAbsent(address, id)).as(address).isNull());
            given.forEach(owners::remove);
            net.del().ok();
          }
        });
    assertThat(dir("net").leases()).isEmpty();
  }

  private static final int WORKERS = 16;

  private interface Work {
    void run(int worker, Side side) throws Exception;
  }

  /** Eight by us, in this JVM, and eight by the Go plugin, concurrently. */
  private static void inParallel(Work work) throws Exception {
    try (ExecutorService workers = Executors.newFixedThreadPool(WORKERS)) {
      List<Future<Void>> all = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        int worker = i;
        Callable<Void> task =
            () -> {
              work.run(worker, worker % 2 == 0 ? OURS : GO);
              return null;
            };
        all.add(workers.submit(task));
      }
      for (Future<Void> one : all) {
        one.get();
      }
    }
  }
}
