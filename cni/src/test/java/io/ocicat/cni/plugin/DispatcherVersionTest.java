package io.ocicat.cni.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.VersionReply;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.Verb;
import io.ocicat.ip.IpPrefix;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which versions of configurations reach a plugin, and in which it answers. */
class DispatcherVersionTest {
  private final RecordingPlugin plugin = new RecordingPlugin();

  @Test
  void theResultIsPrintedInTheVersionOfTheConfiguration() {
    plugin.result = Result.empty().withIp(IpConfig.of(IpPrefix.parse("10.77.0.4/16")));
    assertThat(
            Json.compact(CniJson.parse(Request.of(Verb.ADD).version("0.2.0").to(plugin).stdout())))
        .isEqualTo("{\"cniVersion\":\"0.2.0\",\"ip4\":{\"ip\":\"10.77.0.4/16\"},\"dns\":{}}");
  }

  @Test
  void aResultThatTheVersionCannotSayIsAnErrorAndTheOnlyDocument() {
    CniException error = Request.of(Verb.ADD).version("0.2.0").failure(plugin);
    assertThat(error.msg()).isEqualTo("cannot convert: no valid IP addresses");
  }

  @Test
  void aConfigurationWithoutVersionIsOf010() {
    Request request = Request.of(Verb.DEL).stdin("{\"name\":\"edge-net\"}");
    assertThat(request.to(plugin).exitCode()).isZero();
    assertThat(plugin.calls).hasSize(1);
  }

  @Test
  void aVersionThatThePluginDoesNotSupportIsRefused() {
    plugin.supportedVersions = List.of("4.3.2", "1.0.0");
    CniException error = Request.of(Verb.ADD).stdin("{\"name\":\"edge-net\"}").failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.INCOMPATIBLE_VERSION);
    assertThat(error.msg()).isEqualTo("incompatible CNI versions");
    assertThat(error.details())
        .isEqualTo("config is \"0.1.0\", plugin supports [\"4.3.2\" \"1.0.0\"]");
    assertThat(plugin.calls).isEmpty();
  }

  @Test
  void versionsAreComparedAsTexts() {
    assertThat(Request.of(Verb.ADD).version("1.0").failure(plugin).msg())
        .isEqualTo("incompatible CNI versions");
  }

  @ParameterizedTest
  @CsvSource({
    "CHECK, 0.3.0",
    "CHECK, 0.3.1",
    "CHECK, ''",
    "GC, 1.0.0",
    "GC, 0.4.0",
    "STATUS, 1.0.0",
    "STATUS, ''",
  })
  void theConfigurationMustBeAsNewAsTheVerb(Verb verb, String version) {
    CniException error = Request.of(verb).version(version).failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.INCOMPATIBLE_VERSION);
    assertThat(error.msg()).isEqualTo("config version does not allow " + verb);
    assertThat(plugin.calls).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"CHECK, 0.4.0, 0.3.0", "GC, 1.1.0, 1.0.0", "STATUS, 1.1.0, 1.0.0"})
  void thePluginMustBeAsNewAsTheConfiguration(Verb verb, String config, String supported) {
    plugin.supportedVersions = List.of("0.1.0", supported);
    CniException error = Request.of(verb).version(config).failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.INCOMPATIBLE_VERSION);
    assertThat(error.msg()).isEqualTo("plugin version does not allow " + verb);
    assertThat(plugin.calls).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"CHECK", "GC", "STATUS"})
  void aNewerPluginMustStillSupportTheVersionItself(Verb verb) {
    plugin.supportedVersions = List.of("1.2.0");
    assertThat(Request.of(verb).failure(plugin).msg()).isEqualTo("incompatible CNI versions");
    assertThat(plugin.calls).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"CHECK", "GC", "STATUS"})
  void aConfigurationVersionThatIsNoneIsUndecodable(Verb verb) {
    CniException error = Request.of(verb).version("adsfsadf").failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.DECODING_FAILURE);
    assertThat(error.msg()).contains("\"adsfsadf\"");
    assertThat(plugin.calls).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"CHECK", "GC", "STATUS"})
  void aPluginVersionThatIsNoneIsUndecodable(Verb verb) {
    plugin.supportedVersions = List.of("adsfsadf", "1.1.0");
    CniException error = Request.of(verb).failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.DECODING_FAILURE);
    assertThat(error.msg()).contains("\"adsfsadf\"");
    assertThat(plugin.calls).isEmpty();
  }

  @Test
  void versionPrintsWhatIsSupported() {
    plugin.supportedVersions = List.of("0.2.0", "9.8.7");
    PluginReply reply = Request.of(Verb.VERSION).to(plugin);
    assertThat(reply.exitCode()).isZero();
    assertThat(Request.stdout(reply))
        .isEqualTo("{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[\"0.2.0\",\"9.8.7\"]}\n");
    assertThat(plugin.calls).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.4.0", "1.0.0", "99.0.0"})
  void versionRepeatsTheVersionOfTheQuestion(String version) {
    assertThat(answered("{\"cniVersion\":\"%s\"}".formatted(version))).isEqualTo(version);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "garbage",
        "[]",
        "{}",
        "{\"cniVersion\":\"\"}",
        "{\"cniVersion\":7}",
        "{\"cniVersion\":\"../../etc\"}",
      })
  void versionNamesTheNewestWhenTheQuestionNamesNone(String stdin) {
    assertThat(answered(stdin)).isEqualTo("1.1.0");
  }

  @Test
  void versionDoesNotWaitForSomebodyWhoNeverEndsTheQuestion() throws IOException {
    try (PipedOutputStream open = new PipedOutputStream();
        PipedInputStream stdin = new PipedInputStream(open)) {
      PluginReply reply =
          Dispatcher.dispatch(
              plugin,
              PluginHost.process(),
              Map.of("CNI_COMMAND", "VERSION"),
              PluginStdin.of(stdin));
      assertThat(VersionReply.parse(reply.stdout()).cniVersion()).isEqualTo("1.1.0");
    }
  }

  private String answered(String stdin) {
    PluginReply reply = Request.of(Verb.VERSION).stdin(stdin).to(plugin);
    assertThat(reply.exitCode()).isZero();
    return VersionReply.parse(reply.stdout()).cniVersion();
  }

  @ParameterizedTest
  @CsvSource({
    "0.4.0, 0.4.0",
    "'', 0.1.0",
    "7.7.7, 1.0.0",
  })
  void errorsHaveTheVersionOfTheRequestOrTheNewestOfThePlugin(String request, String answer) {
    plugin.supportedVersions = List.of("0.1.0", "0.4.0", "1.0.0");
    plugin.failing(new IllegalStateException("potato"));
    assertThat(Request.of(Verb.ADD).version(request).failure(plugin).cniVersion()).contains(answer);
    assertThat(Request.of(Verb.ADD).without("CNI_IFNAME").failure(plugin).cniVersion())
        .contains("1.0.0");
  }

  @Test
  void aPluginWithoutVersionsIsItsAuthorsMistake() {
    plugin.supportedVersions = List.of();
    assertThat(Request.of(Verb.ADD).failure(plugin).msg()).contains("supports no version of CNI");
  }
}
