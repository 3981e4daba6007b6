package io.ocicat.sandbox.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.sandbox.files.StateFiles.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CachedFilesTest {
  private final AtomicInteger reads = new AtomicInteger();
  private final CachedFiles<String> cache = new CachedFiles<>();

  private String get(Path file) {
    return cache
        .get(
            file,
            bytes -> {
              reads.incrementAndGet();
              return new String(bytes, UTF_8);
            })
        .orElse("none");
  }

  private static void write(Path file, String text) {
    StateFiles.write(file, text.getBytes(UTF_8), Durability.PROCESS);
  }

  @Test
  void whatHasNotChangedIsReadOnce(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("record");
    write(file, "one");
    // Until some time has passed, another change could look the same.
    Thread.sleep(150);
    assertThat(get(file)).isEqualTo("one");
    assertThat(get(file)).isEqualTo("one");
    assertThat(reads).hasValue(1);
    write(file, "two");
    assertThat(get(file)).isEqualTo("two");
    assertThat(reads).hasValue(2);
    Files.delete(file);
    assertThat(get(file)).isEqualTo("none");
    cache.retain(List.of());
  }

  @Test
  void aChangeWithinOneTickIsSeen(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("record");
    FileTime time = FileTime.fromMillis(System.currentTimeMillis());
    for (int i = 0; i < 200; i++) {
      write(file, Integer.toString(i));
      Files.setLastModifiedTime(file, time);
      assertThat(get(file)).isEqualTo(Integer.toString(i));
    }
  }
}
