package io.ocicat.base.yaml;

/** A text is not YAML; has the position and the reason. */
public final class YamlSyntaxException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final int line;
  private final int column;
  private final String why;

  /**
   * @param document which one of a stream, as in {@code document 2: }; empty when there is but one
   */
  YamlSyntaxException(String document, int line, int column, String why, Throwable cause) {
    super("%snot valid YAML: line %d, column %d: %s".formatted(document, line, column, why), cause);
    this.line = line;
    this.column = column;
    this.why = why;
  }

  /** As compilers say it, so that editors find the place: {@code pools.yaml:3:7: …}. */
  public String in(String file) {
    return "%s:%d:%d: not valid YAML: %s".formatted(file, line, column, why);
  }
}
