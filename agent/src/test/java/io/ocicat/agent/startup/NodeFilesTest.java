package io.ocicat.agent.startup;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeFilesTest {

  @Test
  void theFileIsReplacedWhenTheMtuChanges(@TempDir Path folder) throws Exception {
    NodeFiles files = new NodeFiles(folder.resolve("nodename"), folder.resolve("new/mtu"));

    assertThat(files.writeMtu(1450)).isTrue();
    assertThat(files.writeMtu(1450)).isFalse();
    assertThat(Files.readString(files.mtu())).isEqualTo("1450");
    assertThat(files.writeMtu(1400)).isTrue();
    assertThat(Files.readString(files.mtu())).isEqualTo("1400");
  }
}
