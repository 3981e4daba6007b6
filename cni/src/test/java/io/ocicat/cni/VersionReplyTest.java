package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VersionReplyTest {
  private static VersionReply parse(String text) {
    return VersionReply.parse(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void readsWhatAPluginSupports() {
    String text =
        "{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[\"0.4.0\",\"1.0.0\",\"1.1.0\"]}";
    VersionReply reply = parse(text);
    assertThat(reply.supportedVersions()).containsExactly("0.4.0", "1.0.0", "1.1.0");
    assertThat(Json.compact(reply.toJson())).isEqualTo(text);
    assertThat(reply.supports("1.0.0")).isTrue();
    assertThat(reply.supports("1.0")).isFalse();
    assertThat(reply.supports("")).isFalse();
    assertThat(VersionReply.BEFORE_VERSION.supports("")).isTrue();
  }

  @Test
  void knowsThatPluginsOf020ListedNothing() {
    assertThat(parse("{\"cniVersion\":\"0.2.0\"}").supportedVersions())
        .isEqualTo(List.of("0.1.0", "0.2.0"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "not json|decoding version info: not valid JSON: ",
        "{}|decoding version info: missing field cniVersion",
        "{\"supportedVersions\":[\"1.0.0\"]}|decoding version info: missing field cniVersion",
        "{\"cniVersion\":\"1.0.0\"}|decoding version info: missing field supportedVersions",
        "{\"cniVersion\":\"1.0.0\",\"supportedVersions\":[]}|decoding version info: missing field"
            + " supportedVersions",
        "{\"cniVersion\":1}|decoding version info: cniVersion must be a string, not 1",
        "{\"cniVersion\":\"1.0.0\",\"supportedVersions\":\"1.0.0\"}|decoding version info:"
            + " supportedVersions must be a list, not \"1.0.0\"",
      })
  void refusesOtherAnswers(String text, String message) {
    assertThatThrownBy(() -> parse(text))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DECODING_FAILURE))
        .hasMessageStartingWith(message);
  }
}
