package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.daemon.DeferredDels.Group;
import io.ocicat.daemon.call.UndoOutcome;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.daemon.state.StateFolders;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DELs that fail for one cause are tried as one, and reported in one line (review C10). */
class DeferredDelsTest implements DeferredDels.Log {
  @TempDir Path folder;

  private final AtomicLong nanos = new AtomicLong();
  private final List<String> tried = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private UndoOutcome outcome = new UndoOutcome.Failed("etcd is away");
  private DeferredDels dels = new DeferredDels(state().spool(), nanos::get, this);

  private DaemonState state() {
    return new DaemonState(
        new StateFolders(Path.of("/nowhere/run"), Path.of("/nowhere/state")),
        new BootId(new UUID(1, 2)));
  }

  @BeforeEach
  void start() {
    dels = new DeferredDels(state().spool(), nanos::get, this);
  }

  @Override
  public void failed(Group group, int count, String why) {
    told.add("%s/%s %d %s".formatted(group.plugin(), group.network(), count, why));
  }

  @Override
  public void refused(Kept kept, String because) {
    told.add(kept.name() + " " + because);
  }

  private int tryAll() {
    List<String> names = IntStream.range(0, 20).mapToObj("d%02d"::formatted).toList();
    return dels.tryAll(
        names,
        name -> Optional.of(new Kept(name, record(name))),
        kept -> {
          tried.add(kept.name());
          return outcome;
        },
        System.nanoTime() + Duration.ofMinutes(1).toNanos());
  }

  /** Two networks, ten each. */
  private static CallRecord record(String name) {
    String network = Integer.parseInt(name.substring(1)) % 2 == 0 ? "blue" : "green";
    return new CallRecord(
        new BootId(new UUID(1, 2)),
        1,
        NamespaceId.NONE,
        NamespaceId.NONE,
        "calico",
        Map.of(),
        "{\"name\":\"%s\",\"type\":\"calico\"}".formatted(network).getBytes(StandardCharsets.UTF_8),
        new byte[0]);
  }

  @Test
  void ofEachGroupOneIsTriedAndAnotherTheNextTime() {
    tryAll();
    assertThat(tried).containsExactly("d00", "d01");
    assertThat(told).containsExactly("calico/blue 10 etcd is away", "calico/green 10 etcd is away");
    tryAll();
    assertThat(tried).as("not due").hasSize(2);
    nanos.addAndGet(Daemon.RETRY.toNanos());
    tryAll();
    assertThat(tried).containsExactly("d00", "d01", "d02", "d03");
  }

  @Test
  void afterASuccessAllAreTried() {
    tryAll();
    outcome = new UndoOutcome.Done();
    dels.succeeded(new Group("calico", "blue"));
    assertThat(tryAll()).isEqualTo(10);
    assertThat(tried).hasSize(12).contains("d00", "d18").doesNotContain("d03");
  }

  @Test
  void whatHasToWaitKeepsNoneOfTheOthersWaiting() {
    outcome = new UndoOutcome.Refused("it lives");
    tryAll();
    assertThat(tried).hasSize(20);
    tryAll();
    assertThat(tried).as("not due").hasSize(20);
    nanos.addAndGet(Daemon.RETRY.toNanos());
    tryAll();
    assertThat(tried).hasSize(40);
  }
}
