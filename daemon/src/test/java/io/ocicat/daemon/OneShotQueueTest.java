package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Review C5: thirty JVMs at once slowed each other down until all timed out. */
@Hosts
class OneShotQueueTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int PLACES = 2 * Runtime.getRuntime().availableProcessors();

  @TempDir Path folder;

  @Test
  void noMoreThanTwoForEachCoreRunAtOnce(Host host, Host container) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    Path going = Files.createDirectory(folder.resolve("going"));
    Path gate = folder.resolve("gate");
    ocicat.launcher(
        ": >'%s'/$$; until [ -e '%s' ]; do sleep 0.05; done; rm '%s'/$$"
            .formatted(going, gate, going));
    List<Background> calls = new ArrayList<>();
    for (int i = 0; i < 2 * PLACES; i++) {
      calls.add(new Pod(ocicat, container, "c" + i, 8080).add().start());
    }
    Eventually.await("all places to be taken", LIMIT, () -> count(going) == PLACES);
    assertThat(ocicat.oneShots()).as("the others wait").hasSize(PLACES);

    try (Background nested =
        new Pod(ocicat, container, "c0", 8080).add().env("OCICAT_WITHIN", "c0/eth0").start()) {
      Eventually.await("a call of one that has a place", LIMIT, () -> count(going) == PLACES + 1);
      Files.createFile(gate);
      assertThat(nested.await(LIMIT).exitCode()).isZero();
    }
    for (Background call : calls) {
      assertThat(call.await(LIMIT).exitCode()).isZero();
    }
    assertThat(ocicat.oneShots()).hasSize(2 * PLACES + 1);
  }

  private static long count(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
