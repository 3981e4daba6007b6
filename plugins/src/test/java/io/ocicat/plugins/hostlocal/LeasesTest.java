package io.ocicat.plugins.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.plugins.hostlocal.LeaseScan.Found;
import io.ocicat.plugins.hostlocal.RangeSet.Member;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Changes to the files by somebody without the lock, while we hold it; and the lock itself. */
class LeasesTest {
  private static final LeaseOwner ME = new LeaseOwner("me", "eth0");

  @TempDir Path tmp;

  private final LeaseCache cache = new LeaseCache();

  private NetworkDir dir() {
    return new NetworkDir(tmp.resolve("mynet"));
  }

  private Leases open() {
    return Leases.open(dir().path(), Deadline.in(Duration.ofSeconds(20)), cache);
  }

  private static RangeSet set(String subnet) {
    ObjectNode json =
        (ObjectNode) CniJson.parse("{\"set\":[{\"subnet\":\"%s\"}]}".formatted(subnet));
    return CniJson.read(json, in -> RangeSet.read(in.value("set")).orElseThrow());
  }

  private static String next(Leases leases, RangeSet set) {
    return leases.nextFree(set, 0).map(Member::address).map(IpAddress::toString).orElse("none");
  }

  private static Member allocate(Leases leases, RangeSet set) {
    return new RangeAllocation(leases, ME, set, 0).allocate(Optional.empty());
  }

  @Test
  void afileThatAppearsIsNeverLeasedTwice() {
    RangeSet set = set("10.1.2.0/29");
    try (Leases leases = open()) {
      dir().put("10.1.2.2", "stranger\r\neth0").put("10.1.2.3", "stranger\r\neth0");

      assertThat(next(leases, set)).isEqualTo("10.1.2.2");
      assertThat(allocate(leases, set).address()).hasToString("10.1.2.4");
    }
    // Nor is the old index used any longer.
    try (Leases leases = open()) {
      assertThat(leases.heldBy(new LeaseOwner("stranger", "eth0"))).hasSize(2);
    }
  }

  @Test
  void afileThatGoesUnseenIsFoundBeforeTheSetIsFull() {
    RangeSet set = set("10.1.2.0/29");
    dir().put("10.1.2.2", "stranger\r\neth0");
    try (Leases leases = open()) {
      dir().remove("10.1.2.2");
      assertThat(allocate(leases, set).address()).hasToString("10.1.2.3");
    }
    dir().put("last_reserved_ip.0", "10.1.2.6");
    try (Leases leases = open()) {
      assertThat(next(leases, set)).as("what the index thinks").isEqualTo("10.1.2.4");
      assertThat(next(leases, set("10.1.2.0/30"))).as("what is true").isEqualTo("10.1.2.2");
    }
  }

  @Test
  void aleaseThatIsGoneAlreadyIsReleased() {
    try (Leases leases = open()) {
      leases.reserve(IpAddress.parse("10.1.2.2"), ME, 0);
      List<Found> held = leases.heldBy(ME);
      dir().remove("10.1.2.2");
      held.forEach(leases::release);

      assertThat(leases.heldBy(ME)).isEmpty();
      assertThat(next(leases, set("10.1.2.0/30"))).isEqualTo("10.1.2.2");
    }
  }

  @Test
  void whoeverHasTheLockIsWaitedForUntilTheDeadline() {
    open().close();
    try (FileLock held = FileLock.acquire(dir().path().resolve("lock"), FileLock.Mode.EXCLUSIVE)) {
      CniException late =
          catchThrowableOfType(
              CniException.class,
              () -> Leases.open(dir().path(), Deadline.in(Duration.ofMillis(50)), cache));

      assertThat(late.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
      assertThat(late.msg()).contains("mynet/lock", "held by process");
      assertThat(held).isNotNull();
    }
    open().close();
  }

  @Test
  void threadsOfThisProcessWaitForEachOther() throws Exception {
    try (Leases first = open();
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      CniException late =
          other
              .submit(
                  () ->
                      catchThrowableOfType(
                          CniException.class,
                          () ->
                              Leases.open(dir().path(), Deadline.in(Duration.ofMillis(50)), cache)))
              .get();

      assertThat(late.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
      assertThat(late.msg()).isEqualTo("other calls for this network took too long");
      assertThat(first.heldBy(ME)).isEmpty();
    }
  }
}
