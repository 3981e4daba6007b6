package io.ocicat.agent.bird;

import java.util.ArrayList;
import java.util.List;

/**
 * Puts an answer together from its lines: {@code NNNN-text} when more follows, {@code NNNN text} at
 * the end, and a leading blank instead of a code that is the same as in the line above.
 */
final class BirdReplyReader {
  private static final int CODE_LENGTH = 4;

  private final List<BirdReply.Line> lines = new ArrayList<>();
  private int code = -1;

  /** Returns whether this line was the last one. */
  boolean add(String line) {
    if (line.startsWith(" ") && code >= 0) {
      lines.add(new BirdReply.Line(code, line.substring(1)));
      return false;
    }
    if (!hasCode(line)) {
      throw new BirdException.Malformed("this is not a line of BIRD's: \"%s\"".formatted(line));
    }
    code = Integer.parseInt(line, 0, CODE_LENGTH, 10);
    lines.add(new BirdReply.Line(code, line.substring(CODE_LENGTH + 1)));
    return line.charAt(CODE_LENGTH) == ' ';
  }

  private static boolean hasCode(String line) {
    return line.length() > CODE_LENGTH
        && line.chars().limit(CODE_LENGTH).allMatch(c -> c >= '0' && c <= '9')
        && (line.charAt(CODE_LENGTH) == ' ' || line.charAt(CODE_LENGTH) == '-');
  }

  BirdReply reply() {
    return new BirdReply(lines);
  }

  /** The answer that these lines are, as they were read from the socket. */
  static BirdReply parse(String text) {
    BirdReplyReader reader = new BirdReplyReader();
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      if (reader.add(lines.get(i))) {
        if (i + 1 < lines.size()) {
          throw new BirdException.Malformed("BIRD's answer goes on after its last line");
        }
        return reader.reply();
      }
    }
    throw new BirdException.Malformed("BIRD's answer has no end");
  }
}
