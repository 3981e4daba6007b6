package io.ocicat.cni.testplugins;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Hosts
class DebugPluginTest {
  private static final String PREVIOUS =
      "{\"cniVersion\":\"1.0.0\",\"interfaces\":[{\"name\":\"eth0\"}]}";

  @TempDir private Path directory;

  @Test
  void logsRequestsRunsHooksInTheContainerAndChangesNothing(Host container) throws IOException {
    container.exec("ip", "link", "add", "probe0", "type", "bridge");
    Path output = directory.resolve("output");
    Path debug = JvmPlugins.install(directory, "debug", DebugPlugin.class);
    String config =
        ("{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"type\":\"debug\",\"cniOutput\":\"%s\",\"addHooks\":[[\"sh\",\"-c\",\"grep"
                + " -o probe0 /proc/net/dev\"]],\"prevResult\":%s}")
            .formatted(output, PREVIOUS);
    Command call =
        Command.of(debug.toString())
            .env("CNI_CONTAINERID", "c42")
            .env("CNI_NETNS", container.path().toString())
            .env("CNI_IFNAME", "eth0")
            .stdin(config);

    Output added = call.env("CNI_COMMAND", "ADD").run();
    assertThat(Json.compact(CniJson.parse(added.stdout()))).isEqualTo(PREVIOUS);
    assertThat(added.stderr()).endsWith("/proc/net/dev: probe0\n");
    call.env("CNI_COMMAND", "DEL").run();

    List<JsonNode> requests =
        Files.readAllLines(output).stream().map(line -> CniJson.parse(line)).toList();
    assertThat(requests)
        .extracting(request -> request.get("CNI_COMMAND").stringValue())
        .containsExactly("ADD", "DEL");
    assertThat(requests.getFirst().get("stdin")).isEqualTo(CniJson.parse(config));
  }
}
