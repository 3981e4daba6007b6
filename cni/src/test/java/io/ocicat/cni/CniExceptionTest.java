package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CniExceptionTest {
  @Test
  void readsAsMessageAndDetails() {
    assertThat(new CniException(ErrorCode.TRY_AGAIN_LATER, "busy")).hasMessage("busy");
    assertThat(new CniException(ErrorCode.TRY_AGAIN_LATER, "busy", "pool blue"))
        .hasMessage("busy; pool blue");
  }

  @Test
  void printsTheErrorObject() {
    CniException error =
        new CniException(
            ErrorCode.INVALID_NETWORK_CONFIG, "subnet too small", "10.9.0.0/31 has no address");
    assertThat(Json.pretty(error.answering("1.1.0").toJson()))
        .isEqualTo(
            """
            {
                "cniVersion": "1.1.0",
                "code": 7,
                "msg": "subnet too small",
                "details": "10.9.0.0/31 has no address"
            }\
            """);
    assertThat(Json.compact(new CniException(new ErrorCode(1234), "x").toJson()))
        .isEqualTo("{\"code\":1234,\"msg\":\"x\"}");
  }

  @Test
  void readsWhatItPrinted() {
    CniException error = new CniException(new ErrorCode(107), "m", "d");
    CniException read = CniException.fromJson(error.answering("0.4.0").toJson());
    assertThat(read.code()).isEqualTo(new ErrorCode(107));
    assertThat(read.msg()).isEqualTo("m");
    assertThat(read.details()).isEqualTo("d");
    assertThat(read.cniVersion()).contains("0.4.0");
  }

  @Test
  void readsMissingMembersAsNothing() {
    CniException read = CniException.fromJson(CniJson.parse("{}"));
    assertThat(read.is(ErrorCode.UNKNOWN)).isTrue();
    assertThat(read.msg()).isEmpty();
    assertThat(read.cniVersion()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[]|the document must be an object, not a list",
        "\"x\"|the document must be an object, not \"x\"",
        "{\"code\":\"7\"}|code must be a whole number 0–2147483647, not \"7\"",
        "{\"code\":-1}|code must be a whole number 0–2147483647, not -1",
        "{\"msg\":5}|msg must be a string, not 5",
        "{\"details\":[]}|details must be a string, not a list",
      })
  void refusesWhatIsNoErrorObject(String text, String why) {
    assertThatThrownBy(() -> CniException.fromJson(CniJson.parse(text)))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DECODING_FAILURE))
        .hasMessage(why);
  }

  @Test
  void keepsCodeDetailsAndCauseUnderAPrefix() {
    CniException cause = new CniException(ErrorCode.TRY_AGAIN_LATER, "busy", "pool blue");
    CniException outer = cause.prefixed("plugin type=\"calico\" failed (add): ");
    assertThat(outer).hasMessage("plugin type=\"calico\" failed (add): busy; pool blue");
    assertThat(outer.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(outer).hasCause(cause);
  }

  @Test
  void hasNoNegativeCodes() {
    assertThatThrownBy(() -> new ErrorCode(-1))
        .hasMessage("a CNI error code must not be negative: -1");
  }
}
