package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigListTest {
  private static final String SAMPLE =
      """
      { "cniVersion": "1.0.0", "cniVersions": ["0.4.0", "1.0.0", "1.1.0"], "name": "edge-net",
        "disableCheck": true, "plugins": [
          { "type": "bridge", "bridge": "br7", "ipam": { "type": "host-local", "subnet": "10.77.0.0/16" } },
          { "type": "tuning", "capabilities": { "mac": true, "ips": false } } ] }
      """;

  private static ConfigList list(String members) {
    return ConfigList.parse("{\"name\":\"n\"," + members + "}");
  }

  @Test
  void readsNameVersionFlagsAndPluginsAndKeepsTheBytes() {
    ConfigList list = ConfigList.parse(SAMPLE);
    assertThat(list.name()).isEqualTo("edge-net");
    assertThat(list.networkName()).isEqualTo(new NetworkName("edge-net"));
    assertThat(list.cniVersion()).isEqualTo("1.0.0");
    assertThat(list.cniVersions()).containsExactly("0.4.0", "1.0.0", "1.1.0");
    assertThat(list.effectiveVersion()).isEqualTo("1.1.0");
    assertThat(list.disableCheck()).isTrue();
    assertThat(list.disableGc()).isFalse();
    assertThat(list.loadOnlyInlinedPlugins()).isFalse();
    assertThat(list.plugins()).extracting(PluginConfig::type).containsExactly("bridge", "tuning");
    assertThat(list.bytes()).isEqualTo(SAMPLE.getBytes(StandardCharsets.UTF_8));
    assertThat(new String(list.plugins().getFirst().bytes(), StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"type\":\"bridge\",\"bridge\":\"br7\",\"ipam\":{\"type\":\"host-local\",\"subnet\":\"10.77.0.0/16\"}}");
    assertThat(list.toJson()).isEqualTo(CniJson.parse(SAMPLE));
  }

  @Test
  void hasNoVersionWhenNoneIsWritten() {
    assertThat(list("\"plugins\":[{\"type\":\"a\"}]").effectiveVersion()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"cniVersion\":\"1.0.0\"|1.0.0",
        "\"cniVersion\":\"garbage\"|garbage",
        "\"cniVersion\":\"1.2.3\"|1.2.3",
        "\"cniVersions\":[\"0.3.1\",\"1.0.0\",\"0.4.0\"]|1.0.0",
        "\"cniVersions\":[\"0.3.1\",\"1.1.0\",\"1.2.0\",\"10.0.0\"]|1.1.0",
        "\"cniVersion\":\"1.1.0\",\"cniVersions\":[\"0.4.0\"]|1.1.0",
        "\"cniVersion\":\"0.4.0\",\"cniVersions\":[\"1.0.0\"]|1.0.0",
        "\"cniVersion\":\"1.2.3\",\"cniVersions\":[\"1.2.4\"]|1.2.3",
        "\"cniVersion\":\"1.2.3\",\"cniVersions\":[]|1.2.3",
        "\"cniVersions\":[]|''",
        "\"cniVersions\":[\"9.0.0\"]|''",
      })
  void negotiatesTheHighestVersionImplementedHere(String versions, String effective) {
    assertThat(list(versions).effectiveVersion()).isEqualTo(effective);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{|error parsing configuration list: not valid JSON: ",
        "[]|error parsing configuration list: must be an object, not a list",
        "null|error parsing configuration list: no name",
        "{}|error parsing configuration list: no name",
        "{\"NAME\":\"n\"}|error parsing configuration list: no name",
        "{\"name\":5}|error parsing configuration list: invalid name type number",
        "{\"name\":null}|error parsing configuration list: invalid name type null",
        "{\"name\":\"n\",\"cniVersion\":1}|error parsing configuration list: invalid cniVersion"
            + " type number",
        "{\"name\":\"n\",\"cniVersions\":\"1\"}|error parsing configuration list: invalid type for"
            + " cniVersions: string",
        "{\"name\":\"n\",\"cniVersions\":[\"1.0.0\",5]}|error parsing configuration list: invalid"
            + " type for cniVersions index 1: number",
        "{\"name\":\"n\",\"cniVersions\":[\"1.0.x\"]}|error parsing configuration list: invalid"
            + " cniVersions entry 1.0.x at index 0: invalid version \"1.0.x\"",
        "{\"name\":\"n\",\"cniVersion\":\"x\",\"cniVersions\":[]}|error parsing configuration list:"
            + " invalid cniVersion \"x\": ",
        "{\"name\":\"n\",\"disableCheck\":5}|error parsing configuration list: invalid type number"
            + " for disableCheck",
        "{\"name\":\"n\",\"disableCheck\":\"MaYbe\"}|error parsing configuration list: invalid"
            + " value \"maybe\" for disableCheck",
        "{\"name\":\"n\",\"disableGC\":null}|error parsing configuration list: invalid type null"
            + " for disableGC",
        "{\"name\":\"n\",\"loadOnlyInlinedPlugins\":\"x\"}|error parsing configuration list:"
            + " invalid value \"x\" for loadOnlyInlinedPlugins",
        "{\"name\":\"n\",\"loadOnlyInlinedPlugins\":true}|error parsing configuration list:"
            + " `loadOnlyInlinedPlugins` is true, and no 'plugins' key",
        "{\"name\":\"n\",\"plugins\":{}}|error parsing configuration list: invalid 'plugins' type"
            + " object",
        "{\"name\":\"n\",\"plugins\":null}|error parsing configuration list: invalid 'plugins' type"
            + " null",
        "{\"name\":\"n\",\"plugins\":[]}|error parsing configuration list: no plugins in list",
        "{\"name\":\"n\",\"plugins\":[{\"type\":\"a\"},{}]}|failed to parse plugin config 1: error"
            + " parsing configuration: missing 'type'",
        "{\"name\":\"n\",\"plugins\":[null]}|failed to parse plugin config 0: error parsing"
            + " configuration: missing 'type'",
        "{\"name\":\"n\",\"plugins\":[5]}|failed to parse plugin config 0: error parsing"
            + " configuration: the document must be an object, not 5",
        "{\"name\":\"n\",\"plugins\":[{\"type\":7}]}|failed to parse plugin config 0: error parsing"
            + " configuration: type must be a string, not 7",
      })
  void refusesWithTheTextsCallersKnow(String document, String message) {
    assertThatThrownBy(() -> ConfigList.parse(document))
        .isInstanceOf(CniException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void tellsBadJsonFromBadConfiguration() {
    assertThatThrownBy(() -> ConfigList.parse("{"))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DECODING_FAILURE));
    assertThatThrownBy(() -> ConfigList.parse("{}"))
        .isInstanceOfSatisfying(
            CniException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG));
  }

  @ParameterizedTest
  @CsvSource({"true, true", "false, false", "'\"true\"', true", "'\"FALSE\"', false"})
  void readsFlagsAsBooleansAndAsTheTextOf040(String flag, boolean value) {
    ConfigList list =
        list(
            "\"plugins\":[{\"type\":\"a\"}],\"disableCheck\":%s,\"disableGC\":%s,\"loadOnlyInlinedPlugins\":%s"
                .formatted(flag, flag, flag));
    assertThat(list.disableCheck()).isEqualTo(value);
    assertThat(list.disableGc()).isEqualTo(value);
    assertThat(list.loadOnlyInlinedPlugins()).isEqualTo(value);
  }

  @Test
  void mayHaveNoPluginsUntilTheFolderIsRead() {
    ConfigList list = list("\"cniVersion\":\"1.1.0\",\"vendor\":1");
    assertThat(list.plugins()).isEmpty();
    ConfigList more =
        list.plus(List.of(PluginConfig.parse("{\"type\":\"b\"}".getBytes(StandardCharsets.UTF_8))));
    assertThat(more.plugins()).extracting(PluginConfig::type).containsExactly("b");
    assertThat(more.bytes()).isEqualTo(list.bytes());
    assertThat(Json.compact(more.toJson()))
        .isEqualTo(
            "{\"name\":\"n\",\"cniVersion\":\"1.1.0\",\"vendor\":1,\"plugins\":[{\"type\":\"b\"}]}");
  }

  @Test
  void doesNotJudgeTheNameUntilItIsUsed() {
    ConfigList list = ConfigList.parse("{\"name\":\"../x\"}");
    assertThat(list.name()).isEqualTo("../x");
    assertThatThrownBy(list::networkName)
        .hasMessage("invalid characters found in network name; ../x");
  }

  @Test
  void makesAListOfASingleConfiguration() {
    String single =
        "{\"name\":\"n\",\"type\":\"bridge\",\"disableCheck\":true,\"big\":9007199254740993}";
    PluginConfig plugin = PluginConfig.parse(single.getBytes(StandardCharsets.UTF_8));
    ConfigList list = ConfigList.ofSingle(plugin);
    assertThat(new String(list.bytes(), StandardCharsets.UTF_8))
        .isEqualTo("{\"name\":\"n\",\"cniVersion\":\"\",\"plugins\":[" + single + "]}");
    assertThat(list.disableCheck()).isFalse();
    assertThat(list.plugins().getFirst().json()).isEqualTo(plugin.json());
  }

  @Test
  void refusesDuplicateKeysByteOrderMarksAndDepth() {
    assertThatThrownBy(() -> ConfigList.parse("{\"name\":\"a\",\"name\":\"b\"}"))
        .hasMessageContaining("duplicate key \"name\"");
    assertThatThrownBy(() -> ConfigList.parse("\ufeff{}")).hasMessageContaining("byte order mark");
    assertThatThrownBy(() -> list("\"x\":" + "[".repeat(300) + "]".repeat(300)))
        .hasMessageContaining("depth");
  }
}
