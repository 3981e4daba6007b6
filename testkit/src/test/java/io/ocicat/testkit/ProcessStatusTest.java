package io.ocicat.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessStatusTest {
  private static final String MAIN_THREAD_ENDS =
      """
      #include <pthread.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      static void *live(void *unused) { (void) unused; pause(); return 0; }
      int main(void) {
        pthread_t thread;
        pthread_create(&thread, 0, live, 0);
        syscall(SYS_exit, 0);
      }
      """;

  @Test
  void aProcessRunsUntilItsLastThreadEnds(@TempDir Path folder) throws Exception {
    Path source = Files.writeString(folder.resolve("main.c"), MAIN_THREAD_ENDS);
    Path program = folder.resolve("main");
    Command.of("gcc", "-pthread", "-o", program.toString(), source.toString()).run();
    try (Background started = Command.of(program.toString()).start()) {
      Path stat = Path.of("/proc", Long.toString(started.pid()), "stat");
      Eventually.await("its first thread's end", () -> read(stat).contains(") Z "));

      assertThat(started.isAlive()).isTrue();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
