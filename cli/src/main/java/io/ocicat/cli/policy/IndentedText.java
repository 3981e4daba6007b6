package io.ocicat.cli.policy;

import io.ocicat.cli.terminal.Wrapping;
import java.io.PrintWriter;
import java.util.List;

/** Prints lines by their depth, wrapped to the terminal; what wraps is indented further. */
final class IndentedText {
  private static final int STEP = 2;
  private static final int HANGING = 4;
  private static final int NARROWEST = 20;

  private final PrintWriter out;
  private final int width;

  IndentedText(PrintWriter out, int width) {
    this.out = out;
    this.width = width;
  }

  void line(int depth, String text) {
    int indent = depth * STEP;
    List<String> lines = Wrapping.wrap(text, Math.max(NARROWEST, width - indent - HANGING));
    out.println(" ".repeat(indent) + lines.getFirst());
    lines.stream().skip(1).forEach(more -> out.println(" ".repeat(indent + HANGING) + more));
  }

  void blank() {
    out.println();
  }
}
