package io.ocicat.datastore.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoredJsonTest {

  @Test
  void textIsEscapedAsGoDoes() {
    assertThat(
            StoredJson.compact(
                Json.object()
                    .put("k<", "a<b>&\u2028\u2029\u0001\u001f\b\f\n\r\t\"\\/é猫\uD83D\uDC08")))
        .isEqualTo(
            "{\"k\\u003c\":\"a\\u003cb\\u003e\\u0026\\u2028\\u2029\\u0001\\u001f\\b\\f\\n\\r\\t\\\"\\\\/é猫\uD83D\uDC08\"}");
    assertThat(StoredJson.compact(Json.object().put("k", "x\ud800y")))
        .isEqualTo("{\"k\":\"x\\ufffdy\"}");
  }

  @ParameterizedTest
  @CsvSource({
    "1767225600000000001, 1767225600000000001",
    "18446744073709551615, 18446744073709551615",
    "-0.5, -0.5",
    "100.50, 100.5",
    "1e3, 1000",
    "0.0, 0",
    "1e20, 100000000000000000000",
    "1e21, 1e+21",
    "1.5e22, 1.5e+22",
    "0.000001, 0.000001",
    "0.0000001, 1e-7",
    "-1.25e-9, -1.25e-9"
  })
  void numbersKeepTheirDigitsAndGoesNotation(String in, String out) {
    assertThat(StoredJson.compact(StoredJson.parseObject("{\"n\":" + in + "}")))
        .isEqualTo("{\"n\":" + out + "}");
  }

  @Test
  void ofTwoMembersWithOneNameTheLastCounts() {
    assertThat(StoredJson.compact(StoredJson.parseObject("{\"a\":1,\"b\":2,\"a\":3}")))
        .isEqualTo("{\"a\":3,\"b\":2}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "{", "[]", "null", "{} x", "{\"a\":}", "{'a':1}", "nul"})
  void valuesThatAreNotObjectsAreRejected(String text) {
    assertThatThrownBy(() -> StoredJson.parseObject(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("not ")
        .message()
        .doesNotContain("\n");
  }

  /** Review U14: the reader need not know our parser. */
  @Test
  void theParsersOwnTermsAreLeftOut() {
    assertThatThrownBy(() -> StoredJson.parseObject("{\"a\":1"))
        .hasMessage("not valid JSON: line 1, column 7: it ends before the object does");
    assertThatThrownBy(() -> StoredJson.parseObject("{\"a\": blue}"))
        .hasMessage(
            "not valid JSON: line 1, column 7: 'blue' is not a value: text needs double quotes around it");
  }

  @Test
  void depthIsBounded() {
    String deep = "{\"a\":".repeat(5000) + "1" + "}".repeat(5000);
    assertThatThrownBy(() -> StoredJson.parseObject(deep))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
