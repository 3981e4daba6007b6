package io.ocicat.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class QuotedTest {
  @Test
  void quotesAsGoDoes() {
    assertThat(Quoted.of("plain é 日本 😀")).isEqualTo("\"plain é 日本 😀\"");
    assertThat(Quoted.of("a\"b\\c\n\r\t\b\f\u0007\u000b"))
        .isEqualTo("\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\a\\v\"");
    assertThat(Quoted.of("\u0000\u001b\u007f")).isEqualTo("\"\\x00\\x1b\\x7f\"");
    assertThat(Quoted.of("\u0085\u00a0\u2028\ufeff")).isEqualTo("\"\\u0085\\u00a0\\u2028\\ufeff\"");
    assertThat(Quoted.of("\udb40\udc01")).isEqualTo("\"\\U000e0001\"");
  }

  @Test
  void listsWithSpacesBetween() {
    assertThat(Quoted.list(List.of("a", "b"))).isEqualTo("[\"a\" \"b\"]");
    assertThat(Quoted.list(List.of())).isEqualTo("[]");
  }

  @Test
  void cutsLongTexts() {
    assertThat(Quoted.brief("x".repeat(1000))).isEqualTo("\"" + "x".repeat(80) + "…\"");
    assertThat(Quoted.brief("x".repeat(80))).isEqualTo("\"" + "x".repeat(80) + "\"");
    assertThat(Quoted.brief("😀".repeat(50))).startsWith("\"😀").endsWith("😀…\"");
  }

  @Test
  void messagesHoldNoControlCharacters() {
    String quoted = Quoted.brief("a\u001b[31m\n" + "x".repeat(200));
    assertThat(quoted.chars().noneMatch(Character::isISOControl)).isTrue();
    assertThat(quoted).hasSizeLessThan(120).endsWith("…\"");
  }
}
