package io.ocicat.cni.json;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import java.util.List;
import java.util.Optional;

/** An invalid configuration, with all its bad fields. */
public final class InvalidFieldsException extends CniException {
  private static final long serialVersionUID = 1;
  private static final int MAX_CAUSES = 10;

  private final transient List<Problems.Problem> problems;

  InvalidFieldsException(String msg, String details, List<Problems.Problem> problems) {
    super(ErrorCode.INVALID_NETWORK_CONFIG, msg, details);
    this.problems = List.copyOf(problems);
  }

  /** At least one; of very many only the first ones. */
  public List<Problems.Problem> problems() {
    return problems;
  }

  /** The exception itself, or its cause of this type after a prefix was added to the message. */
  public static Optional<InvalidFieldsException> in(CniException error) {
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
