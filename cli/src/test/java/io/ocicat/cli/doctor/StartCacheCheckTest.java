package io.ocicat.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Review K12: {@code doctor} reports a cache that cannot be used, once, and nothing else does. */
final class StartCacheCheckTest {
  @TempDir Path home;

  @Test
  void cachesThatAreUsedAreNoFinding() throws IOException {
    launcher("exit 0");

    assertThat(new StartCacheCheck(Optional.of(home)).run()).isEmpty();
  }

  @Test
  void aCacheThatTheJvmRefusesIsAFindingThatSaysWhatToDo() throws IOException {
    launcher("case $JDK_JAVA_OPTIONS,$1 in *AOTMode=on,daemon) exit 1 ;; esac");

    assertThat(new StartCacheCheck(Optional.of(home)).run())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.what()).contains(home.resolve("lib").toString());
              assertThat(finding.why()).contains("the daemon");
              assertThat(finding.action()).contains("unpack");
            });
  }

  @Test
  void aLauncherThatDoesNotWorkAtAllIsNotTheCachesFault() throws IOException {
    launcher("exit 1");

    assertThat(new StartCacheCheck(Optional.of(home)).run()).isEmpty();
  }

  @Test
  void withoutADistributionThereIsNothingToLookAt() {
    assertThat(new StartCacheCheck(Optional.empty()).run()).isEmpty();
  }

  private void launcher(String script) throws IOException {
    Path file = Files.createDirectories(home.resolve("bin")).resolve("ocicat");
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
