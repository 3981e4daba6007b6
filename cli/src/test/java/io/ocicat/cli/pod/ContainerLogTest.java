package io.ocicat.cli.pod;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ocicat pod logs} prints. */
class ContainerLogTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private void print(Path log, boolean tagged, java.util.function.BooleanSupplier running)
      throws Exception {
    new ContainerLog(log, tagged)
        .print(new PrintWriter(out, true), new PrintWriter(err, true), running);
  }

  @Test
  void linesGoToTheirStreamsAndParts(@TempDir Path folder) throws Exception {
    Path log =
        Files.writeString(
            folder.resolve("0.log"),
            """
            2026-11-18T12:00:00.000000000Z stdout F first
            2026-11-18T12:00:00.000000001Z stderr F wrong
            2026-11-18T12:00:00.000000002Z stdout P one\s
            2026-11-18T12:00:00.000000003Z stdout F line
            """);
    print(log, true, () -> false);
    assertThat(out).hasToString("first\none line\n");
    assertThat(err).hasToString("wrong\n");
  }

  @Test
  void plainLogsArePrintedAsTheyAre(@TempDir Path folder) throws Exception {
    print(Files.writeString(folder.resolve("0.log"), "a b c d\n"), false, () -> false);
    assertThat(out).hasToString("a b c d\n");
  }

  /** kubelet renames the file and has the runtime open another one. */
  @Test
  void followingGoesOnInTheNextFile(@TempDir Path folder) throws Exception {
    Path log = Files.writeString(folder.resolve("0.log"), "t stdout F old\n");
    AtomicInteger looks = new AtomicInteger();
    print(
        log,
        true,
        () -> {
          try {
            if (looks.incrementAndGet() == 1) {
              Files.move(log, folder.resolve("0.log.1"));
              Files.writeString(log, "t stdout F new\n");
            }
          } catch (java.io.IOException e) {
            throw new UncheckedIOException(e);
          }
          return looks.get() < 2;
        });
    assertThat(out).hasToString("old\nnew\n");
  }
}
