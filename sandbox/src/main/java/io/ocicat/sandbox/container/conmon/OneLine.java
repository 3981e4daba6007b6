package io.ocicat.sandbox.container.conmon;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reduces what a program printed to one line for a message. */
final class OneLine {
  private static final int LONGEST = 1000;
  private static final Pattern LOGGED =
      Pattern.compile("level=\\w+ msg=\"((?:[^\"\\\\]|\\\\.)*)\"");

  private OneLine() {}

  static String of(String text) {
    String line = text.strip().replaceAll("\\s*\\R\\s*", "; ");
    Matcher logged = LOGGED.matcher(line);
    if (logged.find()) {
      line = logged.group(1).replace("\\\"", "\"").replace("\\n", " ").strip();
    }
    if (line.isEmpty()) {
      return "it says nothing";
    }
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
  }
}
