package io.ocicat.sandbox.cgroup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of both versions; this machine has one of them only. */
class CgroupUsageTest {
  private static void file(Path folder, String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text + "\n");
  }

  @Test
  void versionOneHasAFileForEachValue(@TempDir Path folder) throws IOException {
    file(folder, "cpuacct.usage", "123456");
    file(folder, "memory.usage_in_bytes", "1000");
    file(folder, "memory.limit_in_bytes", "5000");
    file(folder, "memory.memsw.usage_in_bytes", "1200");
    file(folder, "memory.memsw.limit_in_bytes", "6000");
    file(
        folder,
        "memory.stat",
        "total_inactive_file 300\ntotal_rss 400\ntotal_pgfault 7\ntotal_pgmajfault 2");
    assertThat(CgroupUsage.versionOne(folder, folder))
        .contains(new CgroupUsage(123456, 1000, 700, 4300, 400, 7, 2, 200, 800));
    file(folder, "memory.limit_in_bytes", "9223372036854771712");
    assertThat(CgroupUsage.versionOne(folder, folder).orElseThrow().available())
        .as("without a limit")
        .isEqualTo(CgroupUsage.UNKNOWN);
  }

  @Test
  void versionTwoCountsMicroseconds(@TempDir Path folder) throws IOException {
    file(folder, "cpu.stat", "usage_usec 123\nuser_usec 100");
    file(folder, "memory.current", "1000");
    file(folder, "memory.max", "5000");
    file(folder, "memory.stat", "anon 400\ninactive_file 300\npgfault 7\npgmajfault 2");
    file(folder, "memory.swap.current", "50");
    file(folder, "memory.swap.max", "max");
    assertThat(CgroupUsage.unified(folder))
        .contains(new CgroupUsage(123_000, 1000, 700, 4300, 400, 7, 2, 50, CgroupUsage.UNKNOWN));
    file(folder, "memory.stat", "inactive_file 2000");
    assertThat(CgroupUsage.unified(folder).orElseThrow().workingSet()).isZero();
  }

  @Test
  void aGroupThatHasJustEndedHasNone(@TempDir Path folder) {
    assertThat(CgroupUsage.unified(folder)).isEmpty();
    assertThat(CgroupUsage.versionOne(folder, folder)).isEmpty();
    assertThat(CgroupUsage.of("")).isEmpty();
    assertThat(CgroupUsage.of("/no/such/group")).isEmpty();
  }
}
