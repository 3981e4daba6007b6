package io.ocicat.plugins.portmap;

import io.ocicat.base.Quoted;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Splits conditions into words, which are consumed one by one. A token of the configuration may
 * contain several; braces, commas and {@code &} are words of their own.
 */
final class ConditionWords {
  private static final Pattern WORD = Pattern.compile("\\s*(\"[^\"]*\"|[{},&]|[^\\s{},&\"]+)");
  private static final String MARKS = "{},&";

  private final Deque<String> words = new ArrayDeque<>();

  ConditionWords(List<String> tokens) {
    String text = String.join(" ", tokens);
    Matcher word = WORD.matcher(text);
    int end = 0;
    while (word.find(end) && word.start() == end) {
      words.add(word.group(1));
      end = word.end();
    }
    if (!text.substring(end).isBlank()) {
      throw refuse(Quoted.brief(text.substring(end)) + " begins a quote that does not end");
    }
  }

  boolean isEmpty() {
    return words.isEmpty();
  }

  boolean nextIs(String word) {
    return word.equals(words.peek());
  }

  /** The next word. */
  String next(String expected) {
    if (words.isEmpty()) {
      throw refuse("they end where %s is expected".formatted(expected));
    }
    return words.remove();
  }

  /** The next word, which must be a value. */
  String value() {
    String word = next("a value");
    if (MARKS.contains(word)) {
      throw refuse("\"%s\" stands where a value is expected".formatted(word));
    }
    return word.replace("\"", "");
  }

  static IllegalArgumentException refuse(String why) {
    return new IllegalArgumentException("cannot be used: " + why);
  }
}
