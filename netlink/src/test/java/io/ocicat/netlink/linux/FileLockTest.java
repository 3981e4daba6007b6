package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.FileLock.Mode.EXCLUSIVE;
import static io.ocicat.netlink.linux.FileLock.Mode.SHARED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks that other programs respect: here flock(1), which does what Go programs do. */
@Hosts
class FileLockTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = directory.resolve("lock");
  }

  @Test
  void anExclusiveLockKeepsOtherProcessesOut() {
    try (FileLock _ = FileLock.acquire(file, EXCLUSIVE)) {
      assertThat(othersGet("-x")).isFalse();
      assertThat(othersGet("-s")).isFalse();
    }
    assertThat(othersGet("-x")).isTrue();
  }

  /** Opening it would wait for a writer. */
  @Test
  void aPipeIsRefusedAtOnce() {
    Command.of("mkfifo", file.toString()).run();
    assertThatThrownBy(() -> FileLock.acquire(file, EXCLUSIVE, LONG))
        .isInstanceOf(NetlinkException.class)
        .hasMessageContaining("neither a regular file nor a directory");
    assertThatThrownBy(() -> FileLock.tryAcquire(file, EXCLUSIVE))
        .isInstanceOf(NetlinkException.class);
  }

  @Test
  void aSharedLockKeepsOnlyExclusiveOnesOut() {
    try (FileLock _ = FileLock.acquire(file, SHARED)) {
      assertThat(othersGet("-s")).isTrue();
      assertThat(othersGet("-x")).isFalse();
    }
  }

  @Test
  void anotherProcessKeepsUsOut() {
    try (Background _ = hold("-x")) {
      assertThat(FileLock.tryAcquire(file, EXCLUSIVE)).isEmpty();
      assertThat(FileLock.tryAcquire(file, SHARED)).isEmpty();
    }
    Optional<FileLock> lock = FileLock.tryAcquire(file, EXCLUSIVE);
    assertThat(lock).isPresent();
    lock.get().close();
  }

  @Test
  void sharedLocksOfTwoProcessesGetAlong() {
    try (Background _ = hold("-s")) {
      Optional<FileLock> lock = FileLock.tryAcquire(file, SHARED);
      assertThat(lock).isPresent();
      lock.get().close();
      assertThat(FileLock.tryAcquire(file, EXCLUSIVE)).isEmpty();
    }
  }

  @Test
  void whoWaitsTooLongLearnsWhoHoldsTheLock() {
    try (Background holder = hold("-x")) {
      assertThatThrownBy(() -> FileLock.acquire(file, EXCLUSIVE, Duration.ofMillis(30)))
          .isInstanceOf(NetlinkException.class)
          .hasMessage(
              "lock %s: Resource temporarily unavailable (EAGAIN): still taken after 30 ms, held by process %d (sleep)"
                  .formatted(file, holder.pid()));
    }
  }

  @Test
  void aKilledHolderLetsGo() throws Exception {
    Background holder = hold("-x");
    CompletableFuture<Void> queued =
        inBackground(() -> FileLock.acquire(file, EXCLUSIVE)).thenAccept(FileLock::close);
    CompletableFuture<Void> polling =
        inBackground(() -> FileLock.acquire(file, SHARED, LONG)).thenAccept(FileLock::close);
    assertThatThrownBy(() -> queued.get(50, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    assertThat(polling).isNotDone();

    holder.close();

    queued.get(20, TimeUnit.SECONDS);
    polling.get(20, TimeUnit.SECONDS);
  }

  @Test
  void theKernelReleasesTheLockOfAKilledJvm() {
    try (Background jvm = OtherJvm.start(LockHolder.class, file.toString())) {
      Eventually.await("the JVM to hold the lock", LONG, () -> jvm.stdout().contains("locked"));
      assertThat(othersGet("-x")).isFalse();
    }
    // The last thread of a killed process closes its files, not the first.
    Eventually.await("the lock to be free", LONG, () -> othersGet("-x"));
  }

  /** Runs in a JVM of its own. */
  static final class LockHolder {
    public static void main(String[] args) throws InterruptedException {
      try (FileLock _ = FileLock.acquire(Path.of(args[0]), EXCLUSIVE)) {
        System.out.println("locked");
        Thread.sleep(Duration.ofMinutes(10));
      }
    }
  }

  @Test
  void threadsOfOneProcessExcludeEachOther() {
    FileLock first = FileLock.acquire(file, EXCLUSIVE);
    assertThat(FileLock.tryAcquire(file, EXCLUSIVE)).isEmpty();

    first.close();
    FileLock second = FileLock.tryAcquire(file, EXCLUSIVE).orElseThrow();
    // A second close must not release what somebody else holds by now.
    first.close();
    assertThat(othersGet("-s")).isFalse();
    second.close();
  }

  @Test
  void incrementsUnderTheLockAreNeverLost() throws Exception {
    Path counter = directory.resolve("counter");
    Files.writeString(counter, "0");
    List<CompletableFuture<Void>> workers =
        IntStream.range(0, 4)
            .mapToObj(
                worker ->
                    CompletableFuture.runAsync(
                        () -> increment(counter, worker % 2 == 0), Thread.ofPlatform()::start))
            .toList();
    for (CompletableFuture<Void> worker : workers) {
      worker.get(60, TimeUnit.SECONDS);
    }
    assertThat(Files.readString(counter)).isEqualTo("200");
  }

  private void increment(Path counter, boolean polling) {
    for (int i = 0; i < 50; i++) {
      try (FileLock _ =
          polling ? FileLock.acquire(file, EXCLUSIVE, LONG) : FileLock.acquire(file, EXCLUSIVE)) {
        int value = Integer.parseInt(Files.readString(counter));
        Files.writeString(counter, Integer.toString(value + 1));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  void aDirectoryCanBeLocked() {
    try (FileLock _ = FileLock.acquire(directory, EXCLUSIVE)) {
      assertThat(Command.of("flock", "-n", directory.toString(), "true").attempt().exitCode())
          .isEqualTo(1);
    }
  }

  @Test
  void aNamespaceCanBeLocked(Host host) {
    try (FileLock _ = FileLock.acquire(host.path(), EXCLUSIVE)) {
      assertThat(FileLock.tryAcquire(host.path(), EXCLUSIVE)).isEmpty();
    }
  }

  @Test
  void aMissingFileIsMadeForTheOwnerOnly() throws IOException {
    FileLock.acquire(file, SHARED).close();

    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void aMissingDirectoryIsAnError() {
    Path missing = directory.resolve("no").resolve("lock");
    assertThatThrownBy(() -> FileLock.acquire(missing, EXCLUSIVE))
        .hasMessage("open " + missing + ": No such file or directory (ENOENT)");
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    try (FileLock _ = FileLock.acquire(file, EXCLUSIVE)) {
      CompletableFuture<FileLock> waiting = new CompletableFuture<>();
      Thread waiter =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      waiting.complete(FileLock.acquire(file, EXCLUSIVE, LONG));
                    } catch (RuntimeException e) {
                      assertThat(Thread.currentThread().isInterrupted()).isTrue();
                      waiting.completeExceptionally(e);
                    }
                  });
      waiter.interrupt();

      assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining("lock " + file + ": Interrupted system call (EINTR)");
    }
  }

  @Test
  void nothingStaysOpen() throws IOException {
    FileLock.acquire(file, EXCLUSIVE).close();
    List<String> before = OpenFiles.now();

    for (int i = 0; i < 2000; i++) {
      try (FileLock _ = FileLock.acquire(file, EXCLUSIVE)) {
        assertThat(FileLock.tryAcquire(file, SHARED)).isEmpty();
        assertThatThrownBy(() -> FileLock.acquire(file, SHARED, Duration.ZERO))
            .isInstanceOf(NetlinkException.class);
      }
    }

    assertThat(OpenFiles.now()).isEqualTo(before);
  }

  private boolean othersGet(String mode) {
    int code = Command.of("flock", mode, "-n", file.toString(), "true").attempt().exitCode();
    assertThat(code).isIn(0, 1);
    return code == 0;
  }

  /** Another process that holds the lock until it is closed, which kills it. */
  private Background hold(String mode) {
    Background holder =
        Command.of("flock", mode, "--no-fork", file.toString(), "sleep", "600").start();
    Eventually.await(
        "flock to hold the lock",
        () ->
            Command.of("cat", "/proc/" + holder.pid() + "/comm").run().stdout().equals("sleep\n"));
    return holder;
  }

  private static CompletableFuture<FileLock> inBackground(Supplier<FileLock> lock) {
    return CompletableFuture.supplyAsync(lock, Thread.ofPlatform()::start);
  }
}
