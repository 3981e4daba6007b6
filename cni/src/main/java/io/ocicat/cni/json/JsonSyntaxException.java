package io.ocicat.cni.json;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;

/** Invalid JSON, with the line and column of the mistake. */
public final class JsonSyntaxException extends CniException {
  private static final long serialVersionUID = 1;

  private final int line;
  private final int column;
  private final String why;

  JsonSyntaxException(int line, int column, String why) {
    super(
        ErrorCode.DECODING_FAILURE,
        "not valid JSON: line %d, column %d: %s".formatted(line, column, why));
    this.line = line;
    this.column = column;
    this.why = why;
  }

  /** Counted from 1, like {@link #column}. */
  public int line() {
    return line;
  }

  public int column() {
    return column;
  }

  /** Without line and column. */
  public String why() {
    return why;
  }
}
