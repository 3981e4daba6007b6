package io.ocicat.agent.bird;

import java.util.List;
import java.util.stream.Collectors;

/**
 * BIRD's complete answer to one command.
 *
 * @param lines at least one; the last one tells the outcome
 */
public record BirdReply(List<Line> lines) {
  private static final int FIRST_FAILURE = 8000;

  /**
   * One line of an answer.
   *
   * @param code what kind of line it is, four digits
   * @param text the rest; its leading blanks say to which line above it belongs
   */
  public record Line(int code, String text) {}

  public BirdReply {
    lines = List.copyOf(lines);
    if (lines.isEmpty()) {
      throw new IllegalArgumentException("an answer has at least one line");
    }
  }

  /** The code that ends the answer. */
  public int code() {
    return lines.getLast().code();
  }

  public boolean isFailure() {
    return code() >= FIRST_FAILURE;
  }

  /** The text of the last line, without blanks around it. */
  public String outcome() {
    return lines.getLast().text().strip();
  }

  /** All text, one line below the other. */
  public String text() {
    return lines.stream().map(Line::text).collect(Collectors.joining("\n"));
  }
}
