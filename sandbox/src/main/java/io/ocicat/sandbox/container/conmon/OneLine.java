package io.ocicat.sandbox.container.conmon;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reduces what a program printed to one line for a message. */
final class OneLine {
  private static final int LONGEST = 1000;
  private static final Pattern ERROR =
      Pattern.compile("level=error msg=\"((?:[^\"\\\\]|\\\\.)*)\"");

  private OneLine() {}

  /** The last error counts: runtimes print warnings before it. */
  static String of(String text) {
    String line = text.strip().replaceAll("\\s*\\R\\s*", "; ");
    Matcher errors = ERROR.matcher(line);
    String last = "";
    while (errors.find()) {
      last = errors.group(1);
    }
    if (!last.isEmpty()) {
      line = last.replace("\\\"", "\"").replace("\\n", " ").strip();
    }
    if (line.isEmpty()) {
      return "it says nothing";
    }
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
  }
}
