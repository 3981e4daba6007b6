package io.ocicat.cli.demo;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Finds the width of the terminal for the demo's text. */
final class TerminalWidth {
  /** Assumed where there is no terminal. */
  private static final int USUAL = 80;

  /** Below this nothing can be laid out; above the maximum, lines are hard to follow. */
  private static final int LEAST = 60;

  private static final int MOST = 120;

  private TerminalWidth() {}

  /** From COLUMNS, else from the terminal on standard output, else 80. */
  static int of(Map<String, String> environment) {
    int columns = number(environment.getOrDefault("COLUMNS", ""));
    if (columns == 0) {
      columns = ofTerminal();
    }
    return columns == 0 ? USUAL : Math.clamp(columns, LEAST, MOST);
  }

  /** 0 when standard output is not a terminal. */
  private static int ofTerminal() {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(new File("/proc/self/fd/1"))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return number(said.strip().replaceFirst("^\\d+ ", ""));
    } catch (IOException _) {
      return 0;
    }
  }

  private static int number(String text) {
    return text.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(text) : 0;
  }
}
