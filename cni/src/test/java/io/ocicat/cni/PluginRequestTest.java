package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class PluginRequestTest {
  private static final Map<String, JsonNode> ARGS =
      Map.of(
          "mac", CniJson.parse("\"02:aa:bb:cc:dd:ee\""),
          "ips", CniJson.parse("[\"10.0.0.1\"]"),
          "bandwidth", CniJson.parse("{}"));

  private static PluginRequest request(String config) {
    return PluginConfigTest.parse(config).request("edge-net", "1.1.0");
  }

  private static void assertRequest(PluginRequest request, String expected) {
    assertThat(request.toJson()).isEqualTo(CniJson.parse(expected));
    assertThat(CniJson.parse(request.toConfig().bytes())).isEqualTo(request.toJson());
  }

  @Test
  void alwaysHasNameAndVersionOfTheList() {
    assertRequest(
        request(
            "{\"type\":\"a\",\"name\":\"own\",\"cniVersion\":\"0.4.0\",\"x\":9007199254740993}"),
        "{\"type\":\"a\",\"x\":9007199254740993,\"name\":\"edge-net\",\"cniVersion\":\"1.1.0\"}");
    assertRequest(
        request("{\"type\":\"a\",\"NAME\":\"own\"}"),
        "{\"type\":\"a\",\"name\":\"edge-net\",\"cniVersion\":\"1.1.0\"}");
  }

  @Test
  void passesCapabilityArgumentsThatAreDeclaredAndGiven() {
    assertRequest(
        request("{\"type\":\"a\",\"capabilities\":{\"mac\":true,\"ips\":false,\"dns\":true}}")
            .capabilityArgs(ARGS),
        """
        {"type":"a","name":"edge-net","cniVersion":"1.1.0","runtimeConfig":{"mac":"02:aa:bb:cc:dd:ee"}}\
        """);
  }

  @Test
  void hasNoRuntimeConfigWithoutOverlap() {
    assertRequest(
        request("{\"type\":\"a\",\"capabilities\":{\"ips\":false,\"dns\":true}}")
            .capabilityArgs(ARGS),
        "{\"type\":\"a\",\"name\":\"edge-net\",\"cniVersion\":\"1.1.0\"}");
  }

  @Test
  void leavesCapabilitiesInOnlyWhenAskedTo() {
    assertRequest(
        request("{\"type\":\"a\",\"capabilities\":{\"mac\":true}}").keepCapabilities(),
        "{\"type\":\"a\",\"capabilities\":{\"mac\":true},\"name\":\"edge-net\",\"cniVersion\":\"1.1.0\"}");
  }

  @Test
  void carriesThePreviousResultInItsOwnVersion() {
    Result previous =
        Result.parse(CniJson.parse("{\"cniVersion\":\"0.4.0\",\"x\":1}"), SpecVersion.LATEST);
    assertRequest(
        request("{\"type\":\"a\"}").previousResult(previous),
        """
        {"type":"a","name":"edge-net","cniVersion":"1.1.0","prevResult":{"cniVersion":"0.4.0","dns":{},"x":1}}\
        """);
    assertRequest(
        request("{\"type\":\"a\"}").previousResult(null),
        "{\"type\":\"a\",\"name\":\"edge-net\",\"cniVersion\":\"1.1.0\"}");
  }

  @Test
  void namesTheAttachmentsUnderBothKeys() {
    assertRequest(
        request("{\"type\":\"a\"}").validAttachments(List.of(new Attachment("c42", "eth0"))),
        """
        {"type":"a","name":"edge-net","cniVersion":"1.1.0",
         "cni.dev/valid-attachments":[{"containerID":"c42","ifname":"eth0"}],
         "cni.dev/attachments":[{"containerID":"c42","ifname":"eth0"}]}
        """);
    assertRequest(
        request("{\"type\":\"a\"}").validAttachments(List.of()),
        """
        {"type":"a","name":"edge-net","cniVersion":"1.1.0","cni.dev/valid-attachments":[],"cni.dev/attachments":[]}
        """);
  }

  @Test
  void dropsWhatOnlyTheRuntimeMaySetAndSaysSo() {
    PluginRequest request =
        request(
            """
            {"type":"a","prevResult":{},"RuntimeConfig":{},"cni.dev/x":1,"args":{"cni":{}}}
            """);
    assertRequest(
        request,
        "{\"type\":\"a\",\"args\":{\"cni\":{}},\"name\":\"edge-net\",\"cniVersion\":\"1.1.0\"}");
    assertThat(request.warnings())
        .containsExactly(
            "plugin \"a\": \"prevResult\" in the configuration is ignored: only the runtime may set"
                + " it",
            "plugin \"a\": \"RuntimeConfig\" in the configuration is ignored: only the runtime may"
                + " set it",
            "plugin \"a\": \"cni.dev/x\" in the configuration is ignored: only the runtime may set"
                + " it");
    assertThat(request("{\"type\":\"a\"}").warnings()).isEmpty();
  }
}
