package io.ocicat.daemon.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.plugin.Plugin;
import io.ocicat.plugins.loopback.LoopbackPlugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginExecutablesTest {
  private static final String SHIM = "the shim";

  private static Path home(Path folder) throws IOException {
    Path lib = Files.createDirectories(folder.resolve("home/lib"));
    Files.writeString(lib.resolve("shim"), SHIM);
    return folder.resolve("home");
  }

  @Test
  void aCopyOfTheShimAndALinkToItAreOurs(@TempDir Path folder) throws IOException {
    PluginExecutables ours = PluginExecutables.of(home(folder));
    Path copy = Files.writeString(folder.resolve("loopback"), SHIM);
    Path links = Files.createDirectory(folder.resolve("links"));
    Path link = Files.createSymbolicLink(links.resolve("loopback"), copy);

    assertThat(ours.find(copy)).get().isInstanceOf(LoopbackPlugin.class);
    assertThat(ours.find(link)).get().isInstanceOf(LoopbackPlugin.class);
  }

  @Test
  void othersAreNot(@TempDir Path folder) throws IOException {
    PluginExecutables ours = PluginExecutables.of(home(folder));
    Path foreign = Files.writeString(folder.resolve("loopback"), "the Go one");
    Path sameSize = Files.writeString(folder.resolve("bridge"), "the shin");
    Path unknown = Files.writeString(folder.resolve("unknown"), SHIM);

    assertThat(ours.find(foreign)).isEmpty();
    assertThat(ours.find(sameSize)).isEmpty();
    assertThat(ours.find(unknown)).isEmpty();
    assertThat(ours.find(folder.resolve("tuning"))).isEmpty();
    assertThat(PluginExecutables.none().find(foreign)).isEmpty();
    assertThat(PluginExecutables.of(folder.resolve("nowhere")).find(foreign)).isEmpty();
  }

  @Test
  void aReplacedFileIsReadAgain(@TempDir Path folder) throws IOException {
    PluginExecutables ours = PluginExecutables.of(home(folder));
    Path file = Files.writeString(folder.resolve("loopback"), SHIM);
    assertThat(ours.find(file)).isPresent();

    Files.writeString(file, "the Go 1");
    Files.setLastModifiedTime(file, FileTime.fromMillis(1));
    assertThat(ours.find(file)).isEmpty();
  }

  @Test
  void pluginsAreIntroducedWhenTheyExistAndWhenTheyAreCreated() {
    List<Plugin> met = new ArrayList<>();
    try (PluginExecutables ours = PluginExecutables.none()) {
      Plugin early = ours.named("loopback").orElseThrow();
      ours.introduce(Plugin.class, met::add);
      Plugin late = ours.named("tuning").orElseThrow();
      assertThat(met).containsExactly(early, late);

      ours.introduce(LoopbackPlugin.class, met::add);
      assertThat(met).containsExactly(early, late, early);
    }
  }
}
