package io.ocicat.cli.policy;

import io.ocicat.cli.terminal.Wrapping;
import java.io.PrintWriter;

/**
 * Prints lines by their depth, wrapped to the terminal; what wraps is indented further. Texts have
 * single blanks between words.
 */
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
    int room = Math.max(NARROWEST + HANGING, width - indent);
    String first = Wrapping.wrap(text, room).getFirst();
    out.println(" ".repeat(indent) + first);
    String rest = text.strip().substring(first.length()).strip();
    if (!rest.isEmpty()) {
      for (String more : Wrapping.wrap(rest, room - HANGING)) {
        out.println(" ".repeat(indent + HANGING) + more);
      }
    }
  }

  void blank() {
    out.println();
  }
}
