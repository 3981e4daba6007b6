package io.ocicat.plugins.calicolog;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFileTest {
  @TempDir Path files;

  @Test
  void aFullLogIsPutAside() throws Exception {
    Path log = files.resolve("cni.log");
    LogConf conf = new LogConf(LogConf.Level.INFO, "", Optional.of(log), 1, 30, 2);
    Files.writeString(log, "x".repeat(1 << 20));
    for (int i = 0; i < 4; i++) {
      var clock = Clock.fixed(Instant.now().plusSeconds(i), ZoneOffset.UTC);
      assertThat(new LogFile(log, conf, clock).append("line " + i)).isEmpty();
      Files.writeString(log, "x".repeat(1 << 20), StandardOpenOption.APPEND);
    }

    try (var all = Files.list(files)) {
      assertThat(all.map(file -> file.getFileName().toString()))
          .filteredOn(name -> name.endsWith(".gz"))
          .hasSize(2);
    }
  }
}
