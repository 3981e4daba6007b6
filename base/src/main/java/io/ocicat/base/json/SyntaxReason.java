package io.ocicat.base.json;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;

/**
 * Explains why a text is not JSON to the person who has to correct it, without the parser's own
 * terms and configuration.
 */
final class SyntaxReason {
  private record Wording(Pattern jackson, String ours) {
    static Wording of(String jackson, String ours) {
      return new Wording(Pattern.compile(jackson), ours);
    }
  }

  private static final List<Wording> WORDINGS =
      List.of(
          Wording.of(" \\([^()]* at \\[Source: .*?]\\)", ""),
          Wording.of(
              "unexpected end-of-input: expected close marker for (\\w+)",
              "it ends before the $1 does"),
          Wording.of(
              "unexpected end-of-input: was expecting closing quote for .*",
              "it ends before a string does"),
          Wording.of(
              "unexpected end-of-input within/between (\\w+) entries",
              "it ends before the $1 does"),
          Wording.of("unexpected end-of-input.*", "it ends too early"),
          Wording.of(
              "unexpected close marker ('.'): expected ('.')",
              "unexpected character $1: expected $2"),
          Wording.of(
              "unrecognized token '(.*?)': .*",
              "'$1' is not a value: text needs double quotes around it"),
          Wording.of(
              "illegal unquoted character \\(\\(CTRL-CHAR, code (\\d+)\\)\\).*",
              "a string contains the control character $1: escape it"),
          Wording.of("\\('(.*?)' \\(code \\d+[^)]*\\)\\)", "'$1'"),
          Wording.of("\\(CTRL-CHAR, code (\\d+)\\)", "control character $1"),
          Wording.of("was expecting double-quote to start property name", "expected a quoted name"),
          Wording.of(
              "was expecting a colon to separate property name and value",
              "expected a colon after the name"),
          Wording.of(
              "was expecting comma to separate (\\w+) entries", "expected a comma in the $1"),
          Wording.of("expected a valid value \\(.*?\\)", "expected a value"),
          Wording.of("was expecting", "expected"),
          Wording.of(", from `[^`]*`", ""),
          Wording.of("\\bObject\\b", "object"),
          Wording.of("\\bArray\\b", "list"));

  private SyntaxReason() {}

  static String of(JacksonException e) {
    String first = e.getOriginalMessage().lines().findFirst().orElse("it cannot be read");
    String reason = first.substring(0, 1).toLowerCase(Locale.ROOT) + first.substring(1);
    for (Wording wording : WORDINGS) {
      reason = wording.jackson().matcher(reason).replaceAll(wording.ours());
    }
    return reason;
  }
}
