package io.ocicat.cri.service;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.ocicat.cri.message.InvalidMessageException;
import io.ocicat.image.ImageException;
import io.ocicat.sandbox.SandboxException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The status of a call that failed. kubelet shows the text in the pod's events, so it is one line;
 * it looks at the beginning of some texts, and only where the code is UNKNOWN.
 *
 * @param log is told of what should not happen
 */
record StatusCodes(Consumer<String> log) implements Function<Throwable, Status> {
  /** Longer ones do not fit into the trailers of a call. */
  private static final int LONGEST = 2000;

  @Override
  public Status apply(Throwable failure) {
    return switch (failure) {
      case StatusRuntimeException e -> e.getStatus();
      case InvalidMessageException e -> Status.INVALID_ARGUMENT.withDescription(line(e));
      case SandboxException e -> of(e.reason()).withDescription(line(e));
      case ImageException e -> of(e.reason()).withDescription(prefix(e.reason()) + line(e));
      case InterruptedException e -> Status.UNAVAILABLE.withDescription("the server is stopping");
      default -> {
        log.accept("a call failed unexpectedly: " + failure);
        yield Status.INTERNAL.withDescription(line(failure));
      }
    };
  }

  private static Status of(SandboxException.Reason reason) {
    return switch (reason) {
      case INVALID, AMBIGUOUS -> Status.INVALID_ARGUMENT;
      case NOT_FOUND -> Status.NOT_FOUND;
      case EXISTS -> Status.ALREADY_EXISTS;
      case NOT_READY -> Status.FAILED_PRECONDITION;
      case BUSY -> Status.ABORTED;
      case CORRUPT -> Status.INTERNAL;
      case DEADLINE -> Status.DEADLINE_EXCEEDED;
      case UNSUPPORTED -> Status.UNIMPLEMENTED;
      case FAILED -> Status.UNKNOWN;
    };
  }

  private static Status of(ImageException.Reason reason) {
    return switch (reason) {
      case INVALID -> Status.INVALID_ARGUMENT;
      case NOT_FOUND -> Status.NOT_FOUND;
      case UNAUTHORIZED -> Status.UNAUTHENTICATED;
      case UNAVAILABLE, FAILED -> Status.UNKNOWN;
      case REFUSED -> Status.DATA_LOSS;
      case NO_SPACE -> Status.RESOURCE_EXHAUSTED;
      case CANCELLED -> Status.CANCELLED;
    };
  }

  /** kubelet's words for a registry that does not answer. */
  private static String prefix(ImageException.Reason reason) {
    return reason == ImageException.Reason.UNAVAILABLE ? "RegistryUnavailable: " : "";
  }

  private static String line(Throwable failure) {
    String text = SandboxException.text(failure).strip().replaceAll("\\s*\\R\\s*", "; ");
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
  }
}
