package io.ocicat.conformance.lab;

import java.util.ArrayList;
import java.util.List;

/** Everything that was done in a lab, as shell commands that do it again. Thread-safe. */
final class Transcript {
  private final List<String> lines = new ArrayList<>();

  synchronized void say(String command) {
    lines.add(command);
  }

  /** What a command was answered, as a comment. */
  synchronized void answer(String text) {
    lines.add("# " + text.replace("\n", " "));
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }
}
