package io.ocicat.netlink.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RangeLockTest {
  private static final Duration AT_ONCE = Duration.ZERO;

  @TempDir private Path folder;

  @Test
  void oneNumberIsHeldOnceAndOthersBesideIt() {
    Path file = folder.resolve("locks");
    try (RangeLock _ = RangeLock.acquire(file, 7, AT_ONCE).orElseThrow()) {
      assertThat(RangeLock.acquire(file, 7, AT_ONCE)).isEmpty();
      try (RangeLock other = RangeLock.acquire(file, Long.MAX_VALUE >> 1, AT_ONCE).orElseThrow()) {
        assertThat(other).isNotNull();
      }
    }
    try (RangeLock again = RangeLock.acquire(file, 7, AT_ONCE).orElseThrow()) {
      assertThat(again).isNotNull();
    }
  }

  @Test
  void waitsForItsTurn() throws InterruptedException {
    Path file = folder.resolve("locks");
    RangeLock first = RangeLock.acquire(file, 1, AT_ONCE).orElseThrow();
    Thread other =
        Thread.ofPlatform()
            .start(() -> RangeLock.acquire(file, 1, Duration.ofSeconds(30)).orElseThrow().close());
    first.close();
    other.join(Duration.ofSeconds(30));
    assertThat(other.isAlive()).isFalse();
  }

  @Test
  void aKilledProcessGivesItBack() {
    Path file = folder.resolve("locks");
    String python =
        """
        import fcntl, struct, sys, time
        f = open(sys.argv[1], "w")
        fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 5, 1, 0))
        print("held", flush=True)
        time.sleep(60)
        """;
    try (Background holder = Command.of("python3", "-c", python, file.toString()).start()) {
      Eventually.await("the other process has the lock", () -> holder.stdout().contains("held"));
      assertThat(RangeLock.acquire(file, 5, AT_ONCE)).isEmpty();
    }
    RangeLock.acquire(file, 5, Duration.ofSeconds(10)).orElseThrow().close();
  }

  @Test
  void theFileIsForTheOwnerAlone() throws Exception {
    Path file = folder.resolve("locks");
    RangeLock.acquire(file, 0, AT_ONCE).orElseThrow().close();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThatThrownBy(() -> RangeLock.acquire(folder.resolve("no/such"), 0, AT_ONCE))
        .isInstanceOf(NetlinkException.class)
        .hasMessageContaining("ENOENT");
  }
}
