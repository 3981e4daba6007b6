package io.ocicat.conformance.lab;

import java.util.ArrayList;
import java.util.List;

/** Records everything that was done in a lab as shell commands that repeat it. Thread-safe. */
final class Transcript {
  private final List<String> lines = new ArrayList<>();

  synchronized void addCommand(String command) {
    lines.add(command);
  }

  /** The reply to a command, as a comment. */
  synchronized void answer(String text) {
    lines.add("# " + text.replace("\n", " "));
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }
}
