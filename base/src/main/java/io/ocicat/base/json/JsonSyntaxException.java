package io.ocicat.base.json;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.TokenStreamLocation;

/** A text is not JSON; has the position and the reason. */
public final class JsonSyntaxException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final transient @Nullable Position position;
  private final String why;

  /** Both are counted from 1. */
  public record Position(int line, int column) {
    @Override
    public String toString() {
      return line + ":" + column;
    }
  }

  JsonSyntaxException(String why) {
    super("not valid JSON: " + why);
    this.position = null;
    this.why = why;
  }

  JsonSyntaxException(String why, TokenStreamLocation where) {
    super(
        "not valid JSON: line %d, column %d: %s"
            .formatted(where.getLineNr(), where.getColumnNr(), why));
    this.position = new Position(where.getLineNr(), where.getColumnNr());
    this.why = why;
  }

  /** Empty when the text as a whole is refused. */
  public Optional<Position> position() {
    return Optional.ofNullable(position);
  }

  /** Without the place. */
  public String why() {
    return why;
  }
}
