package io.ocicat.cni.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PluginPathTest {
  @TempDir private Path root;
  private Path first;
  private Path second;

  @BeforeEach
  void makeDirectories() throws IOException {
    first = Files.createDirectory(root.resolve("first"));
    second = Files.createDirectory(root.resolve("second"));
  }

  @Test
  void findsInTheSecondDirectory() throws IOException {
    Path bridge = Files.createFile(second.resolve("bridge"));
    assertThat(PluginPath.of(first, second).find(new PluginType("bridge"))).isEqualTo(bridge);
  }

  @Test
  void theFirstDirectoryWins() throws IOException {
    Path bridge = Files.createFile(first.resolve("bridge"));
    Files.createFile(second.resolve("bridge"));
    assertThat(PluginPath.of(first, second).find(new PluginType("bridge"))).isEqualTo(bridge);
  }

  @Test
  void directoriesAreNoPluginsButLinksAre() throws IOException {
    Files.createDirectory(first.resolve("bridge"));
    Path target = Files.createFile(root.resolve("shim"));
    Path link = Files.createSymbolicLink(second.resolve("bridge"), target);
    assertThat(PluginPath.of(first, second).find(new PluginType("bridge"))).isEqualTo(link);
  }

  @Test
  void aLinkToNowhereIsNoPlugin() throws IOException {
    Files.createSymbolicLink(first.resolve("bridge"), root.resolve("missing"));
    assertThatThrownBy(() -> PluginPath.of(first).find(new PluginType("bridge")))
        .hasMessageContaining("failed to find plugin");
  }

  @Test
  void notFoundNamesThePluginAndThePath() {
    assertThatThrownBy(() -> PluginPath.of(first, second).find(new PluginType("bridge")))
        .isInstanceOfSatisfying(
            CniException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG))
        .hasMessage("failed to find plugin \"bridge\" in path [%s %s]", first, second);
  }

  @Test
  void noPathsProvided() {
    assertThatThrownBy(() -> PluginPath.parse("").find(new PluginType("bridge")))
        .isInstanceOfSatisfying(
            CniException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
              assertThat(e.msg()).isEqualTo("no paths provided");
            });
  }

  @Test
  void anEmptyNameOrOneThatIsAPathIsRefused() {
    assertThatThrownBy(() -> new PluginType("")).hasMessage("no plugin name provided");
    assertThatThrownBy(() -> new PluginType("../bridge"))
        .hasMessage("invalid plugin name: ../bridge");
    assertThatThrownBy(() -> new PluginType("..")).hasMessage("invalid plugin name: ..");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a:/b", ":/a::/b:", "/a:/b:"})
  void emptyElementsAreNotTheCurrentDirectory(String text) {
    assertThat(PluginPath.parse(text)).isEqualTo(PluginPath.of(Path.of("/a"), Path.of("/b")));
    assertThat(PluginPath.parse(text)).hasToString("/a:/b");
  }

  @Test
  void anElementThatIsNoPathIsRefused() {
    assertThatThrownBy(() -> PluginPath.parse("/a:/b\0"))
        .hasMessage("CNI_PATH has an element that is no path: \"/b\\x00\"");
  }
}
