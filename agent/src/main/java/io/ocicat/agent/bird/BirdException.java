package io.ocicat.agent.bird;

import java.io.Serial;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Why BIRD did not do, or did not say, what it was asked for. */
public abstract sealed class BirdException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private BirdException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Nobody answers at the socket: it does not exist, is refused, or the other side has closed. */
  public static final class Unreachable extends BirdException {
    @Serial private static final long serialVersionUID = 1;

    Unreachable(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** BIRD is there, but the answer did not come in time. */
  public static final class NoAnswer extends BirdException {
    @Serial private static final long serialVersionUID = 1;

    NoAnswer(String message) {
      super(message, null);
    }
  }

  /** What came is not what BIRD says. */
  public static final class Malformed extends BirdException {
    @Serial private static final long serialVersionUID = 1;

    Malformed(String message) {
      super(message, null);
    }
  }

  /** BIRD refused the command. */
  public static final class Refused extends BirdException {
    @Serial private static final long serialVersionUID = 1;

    private final int code;

    Refused(String command, int code, String text) {
      super("BIRD refuses \"%s\": %s (code %04d)".formatted(command, text, code), null);
      this.code = code;
    }

    public int code() {
      return code;
    }
  }

  /** A configuration that BIRD does not accept; the previous one stays in force. */
  public static final class InvalidConfiguration extends BirdException {
    @Serial private static final long serialVersionUID = 1;

    private static final Pattern POSITION =
        Pattern.compile("(?s)(?<file>.+?):(?<line>\\d{1,9}):(?<column>\\d{1,9}) (?<reason>.*)");

    private final String reason;
    private final int line;
    private final int column;

    private InvalidConfiguration(String text, String reason, int line, int column) {
      super(text, null);
      this.reason = reason;
      this.line = line;
      this.column = column;
    }

    /** Of {@code file:line:column reason}, or of any other text, which then has no position. */
    static InvalidConfiguration of(String text) {
      Matcher position = POSITION.matcher(text);
      return position.matches()
          ? new InvalidConfiguration(
              text,
              position.group("reason"),
              Integer.parseInt(position.group("line")),
              Integer.parseInt(position.group("column")))
          : new InvalidConfiguration(text, text, 0, 0);
    }

    /** In BIRD's own words, without the position. */
    public String reason() {
      return reason;
    }

    /** From 1; 0 when BIRD named none. */
    public int line() {
      return line;
    }

    /** From 1; 0 when BIRD named none. */
    public int column() {
      return column;
    }
  }
}
