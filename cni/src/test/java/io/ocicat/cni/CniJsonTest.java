package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ocicat.base.json.InvalidFieldsException;
import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonSyntaxException;
import org.junit.jupiter.api.Test;

/** What is wrong with a document, as the specification's error. */
class CniJsonTest {
  @Test
  void whatIsNotJsonIsADecodingFailureThatKnowsItsPosition() {
    CniException error =
        catchThrowableOfType(CniException.class, () -> CniJson.parse("{\n  \"a\": blue\n}"));
    assertThat(error.code()).isEqualTo(ErrorCode.DECODING_FAILURE);
    assertThat(error)
        .hasMessage(
            "not valid JSON: line 2, column 8: 'blue' is not a value: text needs double quotes around it");
    assertThat(error.getCause())
        .isInstanceOfSatisfying(
            JsonSyntaxException.class,
            cause -> assertThat(cause.position()).contains(new JsonSyntaxException.Position(2, 8)));
  }

  @Test
  void whatIsTooLongIsRefusedBeforeItIsRead() {
    assertThatThrownBy(() -> CniJson.parse(new byte[CniJson.MAX_BYTES + 1]))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DECODING_FAILURE))
        .hasMessage("not valid JSON: it has 4194305 bytes, at most 4194304 are read");
  }

  @Test
  void anObjectForEachTokenDoesNotFillTheHeap() {
    assertThatThrownBy(() -> CniJson.parse("[" + "{},".repeat(200_000) + "{}]"))
        .isInstanceOf(CniException.class)
        .hasMessageContaining("250000");
  }

  @Test
  void badFieldsAreAnInvalidConfigurationThatNamesEach() {
    CniException error =
        catchThrowableOfType(
            CniException.class,
            () ->
                CniJson.read(
                    Json.object().put("bridge", 5).put("mtu", -1),
                    in -> in.text("bridge").or("cni0") + in.integer("mtu", 0, 9000).or(0)));
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(error.msg()).isEqualTo("invalid configuration: 2 problems");
    assertThat(error.details())
        .isEqualTo("bridge must be a string, not 5; mtu must be a whole number 0–9000, not -1");
    assertThat(InvalidFieldsException.in(error.prefixed("bridge: ")))
        .hasValueSatisfying(fields -> assertThat(fields.problems()).hasSize(2));
  }
}
