package io.ocicat.conformance.subject;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PluginUnderTestTest {
  private static final Path BRIDGE = Path.of("/usr/lib/cni/bridge");

  @TempDir private Path directory;

  @Test
  void aKnownNameIsEnough() {
    PluginUnderTest bridge = PluginUnderTest.of(BRIDGE, Optional.empty(), Optional.empty());

    assertThat(bridge.name()).isEqualTo("bridge");
    assertThat(bridge.profile().kind()).isEqualTo(PluginKind.INTERFACE);
    assertThat(bridge.path()).hasToString("/usr/lib/cni");
    assertThat(Json.compact(bridge.profile().configIn("/data/\"here\"", 8081)))
        .contains("\"dataDir\":\"/data/\\\"here\\\"\"");
  }

  @Test
  void eachContainerHasPortsOfItsOwn() {
    PluginUnderTest portmap =
        PluginUnderTest.of(Path.of("/usr/lib/cni/portmap"), Optional.empty(), Optional.empty());

    assertThat(Json.compact(portmap.profile().configIn("/data", 8083)))
        .contains("\"hostPort\":8083,");
  }

  @Test
  void aConfigurationReplacesTheBuiltInOne() {
    Profile profile =
        read(BRIDGE, Optional.empty(), "{\"name\":\"blue\",\"type\":\"bridge\",\"mtu\":1400}");

    assertThat(profile.network()).isEqualTo("blue");
    assertThat(profile.wiring()).isEqualTo(Wiring.NONE);
    assertThat(Json.compact(profile.config()))
        .isEqualTo("{\"name\":\"blue\",\"type\":\"bridge\",\"mtu\":1400}");
  }

  @Test
  void aListIsSearchedForThePlugin() {
    Profile profile =
        read(
            BRIDGE,
            Optional.empty(),
            """
            { "name": "green", "cniVersion": "1.0.0", "plugins": [ { "type": "portmap" },
              { "type": "bridge", "bridge": "br7", "capabilities": { "mac": true },
                "prevResult": {}, "cni.dev/x": 1 } ] }
            """);

    assertThat(profile.network()).isEqualTo("green");
    assertThat(Json.compact(profile.config()))
        .isEqualTo("{\"type\":\"bridge\",\"bridge\":\"br7\",\"name\":\"green\"}");
  }

  @Test
  void anUnknownPluginNeedsKindAndConfiguration() throws IOException {
    Path mine = executable("mine");

    assertThatThrownBy(() -> PluginUnderTest.of(mine, Optional.empty(), Optional.empty()))
        .isInstanceOf(ConformanceException.class)
        .hasMessageStartingWith("no built-in configuration for \"mine\": give one with --config")
        .hasMessageContaining("flannel, host-local");
    assertThatThrownBy(() -> read(mine, Optional.empty(), "{}"))
        .hasMessageStartingWith("\"mine\" is not known by name: say with --kind");
    assertThat(read(mine, Optional.of(PluginKind.CHAINED), "{}").wiring()).isEqualTo(Wiring.VETH);
    assertThat(read(mine, Optional.of(PluginKind.LOOPBACK), "{}").ifName()).isEqualTo("lo");
    assertThat(read(mine, Optional.of(PluginKind.IPAM), "{}").network()).isEqualTo("conformance");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [              | the configuration is not valid JSON
          []             | the configuration is not a JSON object
          {"plugins":[]} | the configuration is a list without a plugin of type "bridge"
          {"plugins":5}  | the configuration is a list without a plugin of type "bridge"
          """)
  void aBadConfigurationIsExplained(String config, String message) {
    assertThatThrownBy(() -> read(BRIDGE, Optional.empty(), config))
        .isInstanceOf(ConformanceException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void whatCannotBeRunIsRefused() throws IOException {
    Path text = Files.writeString(directory.resolve("bridge"), "text");

    assertThatThrownBy(() -> PluginUnderTest.of(text, Optional.empty(), Optional.empty()))
        .hasMessage(text + " is not an executable file");
    assertThatThrownBy(() -> PluginUnderTest.of(Path.of("/"), Optional.empty(), Optional.empty()))
        .hasMessage("/ is not an executable file");
    assertThatThrownBy(
            () ->
                PluginUnderTest.of(BRIDGE, Optional.empty(), Optional.empty()).limit(Duration.ZERO))
        .hasMessage("the time limit must be positive");
  }

  private static Profile read(Path plugin, Optional<PluginKind> kind, String config) {
    return PluginUnderTest.of(plugin, kind, Optional.of(config.getBytes(UTF_8))).profile();
  }

  private Path executable(String name) throws IOException {
    Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }
}
