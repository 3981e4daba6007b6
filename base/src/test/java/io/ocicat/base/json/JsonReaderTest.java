package io.ocicat.base.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.JsonReader.DuplicateKeys;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest {
  private static final JsonReader READER = new JsonReader(4 << 20, 250_000, DuplicateKeys.REFUSED);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "null",
        "\"<a href='x'>&</a>\"",
        "{\"a\":[1,-2,true,false,null,\"x\",{\"b\":{}}]}",
        "9007199254740993",
        "18446744073709551615",
        "-123456789012345678901234567890",
        "0.1",
        "1.10",
        "3.141592653589793238462643383279",
        "\"é€😀\\u0000\\n\"",
        "{\"z\":1,\"a\":2,\"m\":3}",
      })
  void writesWhatItRead(String text) {
    assertThat(Json.compact(READER.parse(text))).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|it is empty",
        "'  '|it is empty",
        "{} {}|line 1, column 4: unexpected text after the value",
        "{}x|line 1, column 3: 'x' is not a value: text needs double quotes around it",
        "{\"a\":1,\"b\":2,\"a\":3}|line 1, column 14: duplicate key \"a\": duplicated keys are not allowed",
        "{\"a\":1,}|line 1, column 8:",
        "// hi|line 1, column 1:",
        "{'a':1}|line 1, column 2: unexpected character",
        "[1,2|line 1, column 5:",
        "[NaN]|line 1, column 5:",
        "01|line 1, column 2:",
        "{\"a\":1e99999999999}|line 1, column 6: the number \"1e99999999999\" is out of range",
      })
  void refusesWhatIsNotExactlyOneValue(String text, String why) {
    assertThatThrownBy(() -> READER.parse(text))
        .isInstanceOf(JsonSyntaxException.class)
        .hasMessageStartingWith("not valid JSON: " + why)
        .hasMessageNotContainingAny("Source", "StreamRead", "marker", "expecting", "(code");
  }

  /** Review U14: the reader need not know our parser. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\":[1,2|line 1, column 10: it ends before the list does",
        "{\"a\":1|line 1, column 7: it ends before the object does",
        "{\"a\":\"b|line 1, column 8: it ends before a string does",
        "{\"a\":1,|line 1, column 8: it ends before the object does",
        "[1}|line 1, column 3: unexpected character '}': expected ']'",
        "{\"a\":1,}|line 1, column 8: unexpected character '}': expected a quoted name",
        "{\"a\" 1}|line 1, column 6: unexpected character '1': expected a colon after the name",
        "[1 2]|line 1, column 4: unexpected character '2': expected a comma in the list",
        "[,]|line 1, column 2: unexpected character ',': expected a value",
        "{a:1}|line 1, column 2: unexpected character 'a': expected a quoted name",
      })
  void saysWhatIsWrongInPlainWords(String text, String why) {
    assertThatThrownBy(() -> READER.parse(text)).hasMessage("not valid JSON: " + why);
  }

  @Test
  void limitsAreNamedWithoutTheirSetting() {
    assertThatThrownBy(() -> READER.parse("[".repeat(5000)))
        .hasMessage(
            "not valid JSON: document nesting depth (129) exceeds the maximum allowed (128)");
    assertThatThrownBy(() -> READER.parse("[\"a\nb\"]"))
        .hasMessageEndingWith("a string contains the control character 10: escape it");
  }

  @Test
  void refusesAByteOrderMark() {
    assertThatThrownBy(() -> READER.parse("\ufeff{}"))
        .hasMessage(
            "not valid JSON: it starts with a byte order mark: save it as UTF-8 without one");
  }

  @Test
  void refusesWhatIsTooDeepOrTooLong() {
    assertThatThrownBy(() -> READER.parse("[".repeat(5000)))
        .isInstanceOf(JsonSyntaxException.class)
        .hasMessageContaining("depth");
    assertThat(
            READER
                .parse("[".repeat(JsonReader.MAX_DEPTH) + "]".repeat(JsonReader.MAX_DEPTH))
                .isArray())
        .isTrue();
    assertThatThrownBy(() -> READER.parse(new byte[(4 << 20) + 1]))
        .hasMessage("not valid JSON: it has 4194305 bytes, at most 4194304 are read");
  }

  @Test
  void replacesBytesThatAreNotUtf8() {
    byte[] latin1 = "\"caf\u00e9\"".getBytes(StandardCharsets.ISO_8859_1);
    assertThat(READER.parse(latin1).stringValue()).isEqualTo("caf\ufffd");
  }

  @Test
  void writesHalfASurrogatePairAsTheReplacementCharacter() {
    byte[] written = Json.compactBytes(READER.parse("\"\\ud800\""));
    assertThat(new String(written, StandardCharsets.UTF_8)).isEqualTo("\"\ufffd\"");
  }

  @Test
  void keepsSixtyFourBitIntegersExactly() {
    assertThat(READER.parse("18446744073709551615").bigIntegerValue())
        .isEqualTo(new BigInteger("18446744073709551615"));
    assertThat(READER.parse("9007199254740993").longValue()).isEqualTo(9007199254740993L);
  }

  @Test
  void keepsHugeExponentsWithoutComputingThem() {
    assertThat(Json.compact(READER.parse("1e999999999"))).isEqualTo("1E+999999999");
  }

  @Test
  void printsAsCniPluginsDo() {
    assertThat(Json.pretty(READER.parse("{\"a\":{\"b\":[1,{\"c\":\"<&>\"}]},\"d\":{},\"e\":[]}")))
        .isEqualTo(
            """
            {
                "a": {
                    "b": [
                        1,
                        {
                            "c": "<&>"
                        }
                    ]
                },
                "d": {},
                "e": []
            }""");
  }
}
