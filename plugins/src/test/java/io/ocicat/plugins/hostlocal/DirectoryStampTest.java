package io.ocicat.plugins.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryStampTest {
  private static final Clock CLOCK = Clock.systemUTC();

  private final Random random = new Random();

  /** Faster than any clock ticks, on a disk and in memory. */
  @ParameterizedTest
  @ValueSource(strings = {"/tmp", "/dev/shm"})
  void everyEntryThatComesOrGoesShows(Path parent) throws IOException {
    Path dir = Files.createTempDirectory(parent, "ocicat-test-");
    try {
      Path file = dir.resolve("10.0.0.1");
      Path other = dir.resolve("10.0.0.2");
      for (int i = 0; i < 200; i++) {
        assertShows(dir, () -> Files.createFile(file));
        assertShows(dir, () -> Files.createLink(other, file));
        assertShows(dir, () -> Files.delete(file));
        assertShows(dir, () -> Files.move(other, file));
        assertShows(dir, () -> Files.delete(file));
      }
    } finally {
      Files.delete(dir);
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  private void assertShows(Path dir, Step change) throws IOException {
    DirectoryStamp stamp = DirectoryStamp.put(dir, random, CLOCK);
    assertThat(DirectoryStamp.of(dir)).isEqualTo(stamp);
    change.run();
    assertThat(DirectoryStamp.of(dir)).isNotEqualTo(stamp);
    assertThat(DirectoryStamp.of(dir).isDistinct()).isFalse();
  }

  @Test
  void noStampComesTwice(@TempDir Path dir) throws IOException {
    Set<DirectoryStamp> seen = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      assertThat(seen.add(DirectoryStamp.put(dir, random, CLOCK))).isTrue();
    }
  }

  @Test
  void aTimeThatWasSetByHandIsAnotherStamp(@TempDir Path dir) throws Exception {
    DirectoryStamp stamp = DirectoryStamp.put(dir, random, CLOCK);
    FileTime put = Files.getLastModifiedTime(dir);
    Files.createFile(dir.resolve("10.0.0.1"));
    // Beyond the tick of the coarsest clock.
    Thread.sleep(20);
    Files.setLastModifiedTime(dir, put);

    assertThat(DirectoryStamp.of(dir)).isNotEqualTo(stamp);
  }

  @ParameterizedTest
  @ValueSource(longs = {-10, 10, -60})
  void aClockThatIsOffDoesNoHarm(long years, @TempDir Path dir) throws IOException {
    Clock off = Clock.offset(CLOCK, Duration.ofDays(365 * years));
    DirectoryStamp stamp = DirectoryStamp.put(dir, random, off);
    assertThat(stamp.isDistinct()).isTrue();
    assertThat(DirectoryStamp.of(dir)).isEqualTo(stamp);

    Files.createFile(dir.resolve("10.0.0.1"));

    assertThat(DirectoryStamp.of(dir)).isNotEqualTo(stamp);
    assertThat(DirectoryStamp.of(dir).isDistinct()).isFalse();
  }

  @Test
  void readingAndWritingFilesDoesNotShow(@TempDir Path dir) throws IOException {
    Path file = Files.writeString(dir.resolve("last_reserved_ip.0"), "10.0.0.1");
    DirectoryStamp stamp = DirectoryStamp.put(dir, random, CLOCK);
    Files.writeString(file, "10.0.0.2");
    Files.readString(file);

    assertThat(DirectoryStamp.of(dir)).isEqualTo(stamp);
  }
}
