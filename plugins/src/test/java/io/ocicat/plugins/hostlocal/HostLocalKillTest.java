package io.ocicat.plugins.hostlocal;

import static io.ocicat.plugins.Side.GO;
import static io.ocicat.plugins.Side.OURS;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Ipam;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes are killed in the middle of their work; both plugins continue with what they left.
 * {@code -Docicat.longer=10} does so ten times as often.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class HostLocalKillTest {
  private static final int ROUNDS = 4;
  private static final int AT_ONCE = 2;

  private static final int OLD = 300;

  @TempDir Path tmp;

  private Ipam net() {
    return Ipam.of(
        "host-local",
        "{\"cniVersion\":\"1.0.0\",\"name\":\"mynet\",\"type\":\"bridge\",\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"%s\",\"subnet\":\"10.1.0.0/16\"}}"
            .formatted(tmp));
  }

  private NetworkDir dir() {
    return new NetworkDir(tmp.resolve("mynet"));
  }

  @Test
  void nothingIsLostAndNothingLeasedTwice() throws Exception {
    for (int i = 2; i < OLD + 2; i++) {
      dir().put("10.1.%d.%d".formatted(i / 256, i % 256), "old\r\neth0");
    }
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Ipam resident = net().resident(new HostLocalPlugin());
    for (int round = 0; round < ROUNDS * Integer.getInteger("ocicat.longer", 1); round++) {
      Side side = round % 2 == 0 ? GO : OURS;
      List<String> said = killSome(round, random);
      Map<String, String> alive = leasedBy(said);
      Map<String, String> leases = dir().leases();
      assertThat(leases.entrySet())
          .as("round %d, seed %d", round, seed)
          .allMatch(
              lease ->
                  lease.getKey().equals(LeaseFile.DRAFT)
                      || lease.getValue().matches("[a-z0-9-]+\r\neth0"))
          .hasSizeGreaterThanOrEqualTo(OLD + alive.size());
      assertThat(leases).containsAllEntriesOf(alive);

      String first = address(resident.container("first" + round));
      String second = address(resident.by(GO).container("second" + round));
      assertThat(leases).doesNotContainKeys(first, second);
      assertThat(first).isNotEqualTo(second);
      resident.by(side).container("first" + round).del().ok();
      resident.by(side).container("second" + round).del().ok();

      // As a runtime does for every container it tried to attach.
      for (String id : tried(said)) {
        net().by(side).container(id).del().ok();
      }
      assertThat(new TreeSet<>(dir().leases().values()))
          .as("what %s leaves in round %d, seed %d", side, round, seed)
          .isSubsetOf("old\r\neth0", "");
    }
    net().del().ok();
    assertThat(dir().leases()).hasSize(OLD);
  }

  /** Kills processes at random, and returns their output. */
  private List<String> killSome(int round, Random random) throws InterruptedException {
    StringBuilder said = new StringBuilder();
    Background[] processes = new Background[AT_ONCE];
    try {
      for (int i = 0; i < AT_ONCE; i++) {
        processes[i] = Churn.start(net().config(), "r%d-%d".formatted(round, i));
      }
      for (Background process : processes) {
        Eventually.await(
            "work",
            Duration.ofSeconds(60),
            () -> process.stdout().lines().count() > 3 || !process.isAlive());
        assertThat(process.isAlive()).as(process.stderr()).isTrue();
        TimeUnit.MICROSECONDS.sleep(random.nextInt(20_000));
        ProcessHandle.of(process.pid()).orElseThrow().destroyForcibly();
        process.await(Duration.ofSeconds(10));
        said.append(process.stdout());
      }
      return said.toString().lines().toList();
    } finally {
      for (Background process : processes) {
        if (process != null) {
          process.close();
        }
      }
    }
  }

  private static Map<String, String> leasedBy(List<String> said) {
    Map<String, String> byId = new HashMap<>();
    for (String line : said) {
      String[] words = line.split(" ", -1);
      if (words[0].equals("+")) {
        byId.put(words[1], words[2].replace("/16", ""));
      } else {
        byId.remove(words[1]);
      }
    }
    Map<String, String> leases = new HashMap<>();
    byId.forEach((id, address) -> leases.put(address, id + "\r\neth0"));
    return leases;
  }

  /** Those that may have something left: the last ones that were leased, and the one after them. */
  private static List<String> tried(List<String> said) {
    Set<String> ids = new TreeSet<>();
    Map<String, Integer> last = new HashMap<>();
    for (String line : said) {
      String id = line.split(" ", -1)[1];
      int dash = id.lastIndexOf('-');
      last.merge(id.substring(0, dash), Integer.parseInt(id.substring(dash + 1)), Math::max);
    }
    last.forEach(
        (name, number) -> {
          for (int i = Math.max(0, number - 6); i <= number + 1; i++) {
            ids.add(name + "-" + i);
          }
        });
    return List.copyOf(ids);
  }

  private static String address(Ipam net) {
    return net.add().ok().at("/ips/0/address").asString().replace("/16", "");
  }
}
