package io.ocicat.base.json;

import java.util.List;
import java.util.Optional;

/** A document has invalid fields; lists them. */
public final class InvalidFieldsException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final int MAX_CAUSES = 10;

  private final String summary;
  private final String details;
  private final transient List<Problems.Problem> problems;

  InvalidFieldsException(String summary, String details, List<Problems.Problem> problems) {
    super(details.isEmpty() ? summary : summary + "; " + details);
    this.summary = summary;
    this.details = details;
    this.problems = List.copyOf(problems);
  }

  /** The one problem, or how many there are. */
  public String summary() {
    return summary;
  }

  /** All problems in one line; empty when the summary says it all. */
  public String details() {
    return details;
  }

  /** At least one; of very many the first. */
  public List<Problems.Problem> problems() {
    return problems;
  }

  /** The one that an error is, or that it was made from. */
  public static Optional<InvalidFieldsException> in(Throwable error) {
    Throwable cause = error;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof InvalidFieldsException found) {
        return Optional.of(found);
      }
      cause = cause.getCause();
    }
    return Optional.empty();
  }
}
