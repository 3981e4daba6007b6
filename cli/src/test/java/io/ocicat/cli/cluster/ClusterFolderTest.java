package io.ocicat.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cli.machine.MachineException;
import io.ocicat.cli.machine.NamespaceHolder;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How later commands find a cluster, and what is left of one. */
class ClusterFolderTest {
  private static final ClusterSpec SPEC =
      new ClusterSpec("blue", ClusterNetwork.CALICO_VXLAN, ClusterDatastore.ETCD, true, 3, 2);

  @TempDir private Path directory;
  private ClusterFolder folder;
  private Process process;

  @BeforeEach
  void aProcess() throws IOException {
    folder =
        ClusterFolder.of(
            Map.of("OCICAT_RUN_DIR", directory.resolve("run").toString()), SPEC.name());
    process = new ProcessBuilder("sleep", "1000").start();
  }

  @AfterEach
  void itEnds() {
    process.destroyForcibly();
  }

  private void save(boolean ready) {
    folder.save(SPEC, NamespaceHolder.kept(process.toHandle(), false), ready);
  }

  @Test
  void aClusterIsFoundWhileItsProcessLives() {
    try (FileLock _ = folder.claim()) {
      assertThat(folder.find()).isEmpty();
      save(false);
      assertThat(folder.find())
          .hasValueSatisfying(
              found -> {
                assertThat(found.spec()).isEqualTo(SPEC);
                assertThat(found.ready()).isFalse();
                assertThat(found.creator().pid()).isEqualTo(ProcessHandle.current().pid());
                assertThat(found.holder().process().pid()).isEqualTo(process.pid());
              });
      save(true);
      assertThat(folder.find()).hasValueSatisfying(found -> assertThat(found.ready()).isTrue());
    }
    process.destroyForcibly();
    Eventually.await("it ended", () -> !process.isAlive());
    assertThat(folder.find()).isEmpty();
  }

  @Test
  void oneCommandAtATimeBringsItUp() {
    try (FileLock _ = folder.claim()) {
      assertThatThrownBy(folder::claim)
          .isInstanceOf(MachineException.class)
          .hasMessageContaining("another command is bringing cluster \"blue\" up");
    }
    folder.claim().close();
  }

  @Test
  void nothingIsLeftOfItAndWhatIsOfOthersStays() throws IOException {
    folder.claim().close();
    save(true);
    assertThat(folder.remove()).isTrue();
    assertThat(directory).isEmptyDirectory();
    assertThat(folder.remove()).isFalse();

    folder.claim().close();
    Path journal = Files.createDirectory(directory.resolve("run/journal"));
    assertThat(folder.remove()).isTrue();
    assertThat(directory.resolve("run")).isDirectoryContaining(path -> path.equals(journal));
    assertThat(directory.resolve("run/clusters")).doesNotExist();
  }
}
