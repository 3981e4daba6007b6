package io.ocicat.datastore.etcd;

import io.grpc.Status;
import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * An error response of an endpoint: the one place where gRPC's codes and etcd's messages become our
 * exceptions. etcd's own clients also distinguish its errors by their messages.
 */
record EtcdFailure(Endpoint endpoint, Status status) {

  /** What to do about it. */
  enum Remedy {
    /** Log in again. */
    LOG_IN,
    /** Retry, preferably at another endpoint. */
    RETRY_ELSEWHERE,
    /** Retry after a while. */
    WAIT,
    /** Report it. */
    NONE
  }

  Remedy remedy() {
    return switch (status.getCode()) {
      case UNAUTHENTICATED -> Remedy.LOG_IN;
      case INVALID_ARGUMENT -> says("revision of auth store is old") ? Remedy.LOG_IN : Remedy.NONE;
      case RESOURCE_EXHAUSTED -> says("too many requests") ? Remedy.WAIT : Remedy.NONE;
      // The last two may end the streams of a server that shuts down.
      case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, INTERNAL -> Remedy.RETRY_ELSEWHERE;
      // With a cause it is from this side of the connection, which broke.
      case UNKNOWN ->
          status.getCause() != null || says("server stopped") || says("context canceled")
              ? Remedy.RETRY_ELSEWHERE
              : Remedy.NONE;
      default -> Remedy.NONE;
    };
  }

  private boolean says(String words) {
    return says(status, words);
  }

  static boolean says(Status status, String words) {
    String description = status.getDescription();
    return description != null && description.contains(words);
  }

  /**
   * Returns the exception for this error.
   *
   * @param subject what was requested
   */
  DatastoreException exception(String subject) {
    Throwable cause = status.asRuntimeException();
    return switch (status.getCode()) {
      case OUT_OF_RANGE ->
          says("compacted")
              ? new CompactedException(
                  "etcd %s no longer knows the history of %s: list again"
                      .formatted(endpoint, subject),
                  cause)
              : new InvalidException(
                  "etcd %s does not have %s yet: it is in the future".formatted(endpoint, subject),
                  cause);
      case NOT_FOUND -> new NotFoundException(subject + " does not exist or has ended", cause);
      case UNAUTHENTICATED, PERMISSION_DENIED -> unauthorized(subject, cause);
      case FAILED_PRECONDITION ->
          says("authentication is not enabled")
              ? new UnauthorizedException(
                  "etcd %s has authentication disabled, but a user is configured: enable it (etcdctl auth enable), or remove ETCD_USERNAME and ETCD_PASSWORD"
                      .formatted(endpoint),
                  cause)
              : other(subject, cause);
      case INVALID_ARGUMENT -> invalid(subject, cause);
      case RESOURCE_EXHAUSTED ->
          says("space exceeded")
              ? new UnavailableException(
                  "etcd %s has no space left (alarm NOSPACE), nothing was written: compact and defragment it, or raise --quota-backend-bytes, then run etcdctl alarm disarm"
                      .formatted(endpoint),
                  cause)
              : other(subject, cause);
      case DATA_LOSS ->
          new CorruptException(
              "etcd %s is damaged (alarm CORRUPT): replace the member or restore a snapshot"
                  .formatted(endpoint),
              cause);
      case UNIMPLEMENTED ->
          new UnavailableException(
              "%s does not speak etcd's version 3: check etcd_endpoints".formatted(endpoint),
              cause);
      default -> other(subject, cause);
    };
  }

  private DatastoreException unauthorized(String subject, Throwable cause) {
    return new UnauthorizedException(
        says("permission denied")
            ? "etcd %s does not permit %s: grant its user a role that may (etcdctl role grant-permission)"
                .formatted(endpoint, subject)
            : "etcd %s does not accept us for %s (%s): check ETCD_USERNAME and ETCD_PASSWORD, or the client certificate"
                .formatted(endpoint, subject, words()),
        cause);
  }

  private DatastoreException invalid(String subject, Throwable cause) {
    if (says("user name is empty")) {
      return new UnauthorizedException(
          "etcd %s has authentication enabled, but no user is configured: set ETCD_USERNAME and ETCD_PASSWORD, or a client certificate whose common name is a user"
              .formatted(endpoint),
          cause);
    }
    if (says("authentication failed")) {
      return new UnauthorizedException(
          "etcd %s refuses user and password: correct ETCD_USERNAME and ETCD_PASSWORD"
              .formatted(endpoint),
          cause);
    }
    return new InvalidException(
        "etcd %s refuses %s: %s".formatted(endpoint, subject, words()), cause);
  }

  private UnavailableException other(String subject, Throwable cause) {
    return new UnavailableException(
        "etcd %s failed with %s: %s%s"
            .formatted(
                endpoint,
                subject,
                reason(),
                remedy() == Remedy.NONE ? "" : ", check that it runs and has a leader"),
        cause);
  }

  /** The response to a write is lost. */
  UnavailableException outcomeUnknown(String subject) {
    return UnavailableException.outcomeUnknown(
        "etcd %s did not answer, so it is not known whether %s was written (%s): read before repeating it"
            .formatted(endpoint, subject, reason()),
        status.asRuntimeException());
  }

  /** The reason in a few words. */
  String reason() {
    String handshake = HandshakeFailure.reason(status.getCause());
    if (handshake != null) {
      return handshake;
    }
    return switch (status.getCode()) {
      case DEADLINE_EXCEEDED -> "no answer in time";
      case CANCELLED -> "the call was cancelled";
      case UNAVAILABLE -> connectionLost();
      default -> words();
    };
  }

  /**
   * Why the connection failed. A server that requires TLS closes any other connection; one without
   * TLS keeps waiting.
   */
  String dialReason() {
    String other = endpoint.tls() ? "http://" : "https://";
    if (wasClosed()) {
      return "it closes the connection: does it want %s?".formatted(other);
    }
    return endpoint.tls() && status.getCode() == Status.Code.DEADLINE_EXCEEDED
        ? "no answer in time: is it up, or does it want %s?".formatted(other)
        : reason();
  }

  /** Whether the connection was refused. */
  boolean isConnectionRefused() {
    for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException
          && String.valueOf(cause.getMessage()).contains("refused")) {
        return true;
      }
    }
    return false;
  }

  private boolean wasClosed() {
    Throwable cause = status.getCause();
    // Depending on whether the last data was read before the close, the connection ends or is
    // reset.
    return cause == null
        ? says("Network closed")
        : cause instanceof ClosedChannelException
            || String.valueOf(cause.getMessage()).contains("Connection reset");
  }

  private String connectionLost() {
    Throwable cause = status.getCause();
    return cause == null ? words() : firstLine(cause);
  }

  private String words() {
    String description = status.getDescription();
    String text = description == null ? status.getCode().name() : description;
    return text.lines().findFirst().orElse("");
  }

  static String firstLine(@Nullable Throwable e) {
    if (e == null) {
      return "";
    }
    String message = e.getMessage();
    return message == null
        ? e.getClass().getSimpleName()
        : message.lines().findFirst().orElse("").strip();
  }
}
