package io.ocicat.daemon.start;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.daemon.call.PluginExecutables;
import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WarmUpTest {
  @TempDir Path folder;

  private final CountDownLatch ready = new CountDownLatch(1);

  @BeforeEach
  void distribution() throws IOException {
    // They are never executed: a delegate that is the shim runs in this process.
    for (String file : List.of("lib/shim", "cni/bridge", "cni/host-local", "cni/tuning")) {
      Path path = folder.resolve("home").resolve(file);
      Files.createDirectories(path.getParent());
      Files.writeString(path, "shim");
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.createDirectories(folder.resolve("run"));
  }

  private int rehearse(BooleanSupplier busy) {
    return new WarmUp(
            folder.resolve("run"),
            PluginExecutables.of(folder.resolve("home")),
            folder.resolve("home/cni"),
            Set.of("tuning"),
            busy,
            ready)
        .run();
  }

  @Test
  void callsAreMadeAndNothingIsLeft() throws IOException {
    long interfaces = NetworkInterface.networkInterfaces().count();

    assertThat(rehearse(() -> false)).isGreaterThan(10);

    assertThat(ready.getCount()).isZero();
    assertThat(runFolder()).isEmpty();
    assertThat(NetworkInterface.networkInterfaces().count()).isEqualTo(interfaces);
  }

  @Test
  void whatAKilledDaemonLeftIsRemoved() throws IOException {
    Files.createDirectories(folder.resolve("run/rehearsal-1/run/journal"));
    Files.writeString(folder.resolve("run/rehearsal-1/run/journal/x"), "");
    Files.writeString(folder.resolve("run/ocicatd.lock"), "");

    rehearse(() -> false);

    assertThat(runFolder()).containsExactly(folder.resolve("run/ocicatd.lock"));
  }

  @Test
  void whereNothingCanBeRehearsedNobodyWaitsForIt() throws IOException {
    Files.delete(folder.resolve("run"));

    assertThat(rehearse(() -> false)).isZero();
    assertThat(ready.getCount()).isZero();
  }

  private List<Path> runFolder() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("run"))) {
      return files.toList();
    }
  }
}
