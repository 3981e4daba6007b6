package io.ocicat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.loopback.LoopbackPlugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnePluginTest {

  @Test
  void anExecutableOfTheDistributionAndALinkToItAreOurs(@TempDir Path home) throws IOException {
    Path cni = Files.createDirectory(home.resolve("cni"));
    Path loopback = Files.createFile(cni.resolve("loopback"));
    Path link = Files.createSymbolicLink(home.resolve("loopback"), loopback);
    OnePlugin one = new OnePlugin(Optional.of(cni));

    assertThat(one.ours(loopback)).get().isInstanceOf(LoopbackPlugin.class);
    assertThat(one.ours(link)).get().isInstanceOf(LoopbackPlugin.class);
  }

  @Test
  void othersAreNot(@TempDir Path home) throws IOException {
    Path cni = Files.createDirectory(home.resolve("cni"));
    Path foreign = Files.createFile(home.resolve("loopback"));
    Path unknown = Files.createFile(cni.resolve("unknown"));
    OnePlugin one = new OnePlugin(Optional.of(cni));

    assertThat(one.ours(foreign)).isEmpty();
    assertThat(one.ours(unknown)).isEmpty();
    assertThat(one.ours(home.resolve("missing"))).isEmpty();
    assertThat(new OnePlugin(Optional.empty()).ours(foreign)).isEmpty();
  }
}
