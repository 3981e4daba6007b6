package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.plugin.Plugin;
import io.ocicat.datastore.Datastores;
import io.ocicat.plugins.Plugins;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Runtimes ask for versions all the time: that must not start a JVM. */
@Hosts
class ShimVersionTest {
  @TempDir Path folder;

  @Test
  void theShimSaysWhatEachPluginSays(Host host) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("exit 9");
    try (Datastores datastores = new Datastores()) {
      for (String name : Plugins.names()) {
        Plugin plugin = Plugins.named(name, datastores).orElseThrow();
        JsonNode answer = ocicat.call(name, "VERSION", "{\"cniVersion\":\"1.1.0\"}").run().json();
        List<String> versions = new ArrayList<>();
        answer.get("supportedVersions").forEach(version -> versions.add(version.asString()));
        assertThat(versions).as(name).isEqualTo(plugin.supportedVersions());
      }
    }
    assertThat(ocicat.oneShots()).isEmpty();
  }

  @Test
  void theAskersVersionIsRepeatedIfItIsOne(Host host) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("exit 9");
    assertThat(asked(ocicat, "{\"cniVersion\" : \"0.4.0\"}")).isEqualTo("0.4.0");
    assertThat(asked(ocicat, "{\"name\": \"x\", \"cniVersion\": \"2.0.0\"}")).isEqualTo("2.0.0");
    for (String other :
        List.of("", "nonsense", "{\"cniVersion\":\"1\\\"x\"}", "{\"cniVersion\":7}")) {
      assertThat(asked(ocicat, other)).as(other).isEqualTo("1.1.0");
    }
  }

  @Test
  void calicosOptionsCountWhateverTheCommandIs(Host host) throws IOException {
    Installation ocicat = Installation.in(folder, host);
    ocicat.launcher("echo options");
    // Review K13: "calico -t" was answered as VERSION.
    List<String> argv = new ArrayList<>(ocicat.call("calico", "VERSION", "").argv());
    argv.add("-t");
    Output output =
        host.command(argv.subList(argv.indexOf("--") + 1, argv.size()).toArray(String[]::new))
            .env("CNI_COMMAND", "VERSION")
            .run();
    assertThat(output.stdout()).isEqualTo("options\n");
    assertThat(ocicat.oneShots()).containsExactly("plugin calico -t:VERSION:");
  }

  private static String asked(Installation ocicat, String question) {
    return ocicat.call("bridge", "VERSION", question).run().json().get("cniVersion").asString();
  }
}
