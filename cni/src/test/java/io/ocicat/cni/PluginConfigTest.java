package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

class PluginConfigTest {
  static PluginConfig parse(String text) {
    return PluginConfig.parse(text.getBytes(StandardCharsets.UTF_8));
  }

  private static PluginConfig request(String text) {
    return PluginConfig.ofRequest(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void knowsTheMembersOfTheSpecification() {
    PluginConfig config =
        parse(
            """
            { "cniVersion": "1.1.0", "name": "n", "type": "bridge",
              "capabilities": { "portMappings": true, "mac": false, "ips": null },
              "ipam": { "type": "host-local" }, "dns": { "nameservers": ["10.0.0.53"] } }
            """);
    assertThat(config.type()).isEqualTo("bridge");
    assertThat(config.name()).isEqualTo("n");
    assertThat(config.cniVersion()).isEqualTo("1.1.0");
    assertThat(config.specVersion()).isEqualTo(SpecVersion.V1_1_0);
    assertThat(config.capabilities())
        .containsExactly(
            Map.entry("portMappings", true), Map.entry("mac", false), Map.entry("ips", false));
    assertThat(config.hasCapability("portMappings")).isTrue();
    assertThat(config.hasCapability("mac")).isFalse();
    assertThat(config.hasCapability("other")).isFalse();
    assertThat(config.ipamType()).isEqualTo("host-local");
    assertThat(config.dns().nameservers()).containsExactly("10.0.0.53");
  }

  @Test
  void keepsEveryMemberAndNumberExactly() {
    String text =
        "{\"type\":\"a\",\"n\":18446744073709551615,\"d\":1.10,\"h\":\"<>&\",\"z\":[null,{}]}";
    PluginConfig config = parse(text);
    assertThat(Json.compact(config.json())).isEqualTo(text);
    config.json().put("type", "changed");
    assertThat(Json.compact(config.json())).isEqualTo(text);
    assertThat(new String(config.bytes(), StandardCharsets.UTF_8)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{|6|error parsing configuration: not valid JSON: ",
        "null|7|error parsing configuration: missing 'type'",
        "{}|7|error parsing configuration: missing 'type'",
        "{\"type\":\"\"}|7|error parsing configuration: missing 'type'",
        "{\"type\":5}|7|error parsing configuration: type must be a string, not 5",
        "{\"type\":\"a\",\"name\":5}|7|error parsing configuration: name must be a string, not 5",
        "{\"type\":\"a\",\"cniVersion\":1.0}|7|error parsing configuration: cniVersion must be a"
            + " string, not 1.0",
        "{\"type\":\"a\",\"capabilities\":[]}|7|error parsing configuration: capabilities must be"
            + " an object, not a list",
        "{\"type\":\"a\",\"capabilities\":{\"mac\":\"yes\"}}|7|error parsing configuration:"
            + " capabilities.mac must be true or false, not \"yes\"",
        "{\"type\":\"a\",\"ipam\":\"x\"}|7|error parsing configuration: ipam must be an object, not"
            + " \"x\"",
        "{\"type\":\"a\",\"ipam\":{\"type\":1}}|7|error parsing configuration: ipam.type must be a"
            + " string, not 1",
        "{\"type\":\"a\",\"dns\":{\"domain\":1}}|7|error parsing configuration: dns.domain must be"
            + " a string, not 1",
        "{\"type\":\"a\",\"prevResult\":[]}|7|error parsing configuration: prevResult must be an"
            + " object, not a list",
      })
  void refusesWrongMembers(String text, int code, String message) {
    assertThatThrownBy(() -> parse(text))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.code().value()).isEqualTo(code))
        .hasMessageStartingWith(message);
  }

  @Test
  void aListInAFileForSinglePluginsIsToldSo() {
    assertThatThrownBy(() -> parse("{\"name\":\"n\",\"plugins\":[]}"))
        .hasMessage(
            "error parsing configuration: missing 'type'; this is a list: name the file .conflist");
  }

  @Test
  void aRequestNeedsNoType() {
    assertThat(request("{\"name\":\"n\"}").name()).isEqualTo("n");
    assertThat(request("null").name()).isEmpty();
    assertThatThrownBy(() -> request(""))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DECODING_FAILURE))
        .hasMessage("error unmarshall network config: not valid JSON: it is empty");
    assertThatThrownBy(() -> request("{\"name\":{}}"))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DECODING_FAILURE))
        .hasMessage("error unmarshall network config: name must be a string, not an object");
  }

  @Test
  void decodesTheConfigurationsVersion() {
    assertThat(request("{\"cniVersion\":\"0.4.0\"}").specVersion()).isEqualTo(SpecVersion.V0_4_0);
    assertThat(request("{}").specVersion()).isEqualTo(SpecVersion.V0_1_0);
    assertThatThrownBy(() -> request("{\"cniVersion\":\"2.0.0\"}").specVersion())
        .hasMessageStartingWith("unsupported CNI version \"2.0.0\"");
  }

  @Test
  void readsPrevResultInTheFamilyOfItsVersion() {
    assertThat(request("{\"cniVersion\":\"1.0.0\"}").previousResult()).isEmpty();
    assertThat(request("{\"cniVersion\":\"1.0.0\",\"prevResult\":null}").previousResult())
        .isEmpty();
    assertThat(
            request("{\"cniVersion\":\"1.0.0\",\"prevResult\":{\"ips\":[{\"address\":\"::1/8\"}]}}")
                .previousResult()
                .orElseThrow()
                .version())
        .isEqualTo(SpecVersion.V1_0_0);
    assertThatThrownBy(
            () ->
                request("{\"cniVersion\":\"1.0.0\",\"prevResult\":{\"cniVersion\":\"0.4.0\"}}")
                    .previousResult())
        .hasMessageStartingWith("could not parse prevResult: result type supports [1.0.0 1.1.0]");
  }

  @Test
  void readsAttachmentsUnderBothNamesAndTellsNoneFromUnknown() {
    String one = "[{\"containerID\":\"c\",\"ifname\":\"eth0\"}]";
    String other = "[{\"containerID\":\"d\",\"ifname\":\"eth0\"}]";
    assertThat(
            request(
                    "{\"cni.dev/attachments\":%s,\"cni.dev/valid-attachments\":%s}"
                        .formatted(other, one))
                .validAttachments())
        .contains(List.of(new Attachment("c", "eth0")));
    assertThat(request("{\"cni.dev/attachments\":" + other + "}").validAttachments())
        .contains(List.of(new Attachment("d", "eth0")));
    assertThat(request("{\"cni.dev/valid-attachments\":null}").validAttachments())
        .contains(List.of());
    assertThat(request("{}").validAttachments()).isEmpty();
    assertThatThrownBy(
            () ->
                request("{\"cni.dev/valid-attachments\":[{\"containerID\":\"c\"}]}")
                    .validAttachments())
        .hasMessage("[\"cni.dev/valid-attachments\"][0].ifname is missing");
  }

  @Test
  void letsAPluginReadItsOwnMembers() {
    record Conf(String bridge, int mtu) {}
    Conf conf =
        parse("{\"type\":\"bridge\",\"mtu\":1400}")
            .read(in -> new Conf(in.text("bridge").or("cni0"), in.integer("mtu", 0, 65535).or(0)));
    assertThat(conf).isEqualTo(new Conf("cni0", 1400));
  }

  @Test
  void injectsMembersAndRefreshesWhatItKnows() {
    JsonNodeFactory json = JsonNodeFactory.instance;
    PluginConfig config = parse("{\"type\":\"a\",\"keep\":1,\"old\":{\"x\":1}}");
    PluginConfig changed =
        config.with(
            Map.of(
                "type", json.stringNode("b"),
                "dns", CniJson.parse("{\"domain\":\"d\"}"),
                "old", CniJson.parse("{\"y\":2}")));
    assertThat(changed.type()).isEqualTo("b");
    assertThat(changed.dns().domain()).isEqualTo("d");
    assertThat(changed.json().get("old")).isEqualTo(CniJson.parse("{\"y\":2}"));
    assertThat(changed.json().get("keep")).isEqualTo(json.numberNode(1));
    assertThat(changed.with(Map.of("type", json.stringNode("b"))).json()).isEqualTo(changed.json());
    assertThat(config.type()).isEqualTo("a");
  }

  @Test
  void refusesToInjectNothing() {
    PluginConfig config = parse("{\"type\":\"a\"}");
    Map<String, JsonNode> emptyKey = Map.of("", Json.object());
    Map<String, JsonNode> nullValue = Map.of("k", JsonNodeFactory.instance.nullNode());
    Map<String, JsonNode> noType = Map.of("type", JsonNodeFactory.instance.stringNode(""));
    assertThatThrownBy(() -> config.with(emptyKey)).hasMessage("keys cannot be empty");
    assertThatThrownBy(() -> config.with(nullValue)).hasMessage("key 'k' value must not be nil");
    assertThatThrownBy(() -> config.with(noType))
        .hasMessage("error parsing configuration: missing 'type'");
  }
}
