package io.ocicat.cri.service;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.jspecify.annotations.Nullable;

/** Refuses requests in which something is missing or contradictory, by the name of the field. */
final class Required {
  private Required() {}

  static <T> T present(String field, @Nullable T message) {
    if (message == null) {
      throw invalid(field + " is missing");
    }
    return message;
  }

  static String text(String field, String value) {
    if (value.isEmpty()) {
      throw invalid(field + " is missing");
    }
    return value;
  }

  static StatusRuntimeException invalid(String why) {
    return Status.INVALID_ARGUMENT.withDescription(why).asRuntimeException();
  }
}
