package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** A request that got no response: why, and whether it may have been applied all the same. */
public record TransportFailure(ApiAccess access, ApiCall call, IOException failure) {
  /** Bounds the search through causes, which may be cyclic. */
  private static final int DEPTH = 16;

  public boolean mayBeRepeated() {
    return !isLasting() && (call.verb().isRead() || !wasSent());
  }

  /** Whether a retry would only meet the same certificates. */
  private boolean isLasting() {
    List<Throwable> causes = causes();
    return Thread.currentThread().isInterrupted()
        || causes.stream().anyMatch(CertificateException.class::isInstance)
        || (causes.stream().anyMatch(SSLException.class::isInstance) && !wasCutOff());
  }

  /**
   * Whether the connection ended during the handshake without an alert, as it does when the server
   * is starting or stopping: no more permanent than a refused connection.
   */
  private boolean wasCutOff() {
    List<Throwable> causes = causes();
    return causes.stream().noneMatch(e -> words(e).contains("alert"))
        && causes.stream()
            .anyMatch(
                e ->
                    e instanceof EOFException
                        || e instanceof SocketException
                        || e instanceof ClosedChannelException
                        || words(e).contains("terminated the handshake"));
  }

  /**
   * Nothing is sent before there is a connection, and nothing applied for clients that TLS rejects.
   */
  private boolean wasSent() {
    return causes().stream()
        .noneMatch(
            e ->
                e instanceof ConnectException
                    || e instanceof HttpConnectTimeoutException
                    || e instanceof SSLException
                    || e instanceof UnresolvedAddressException);
  }

  /**
   * Returns the more informative of two failures of a read: a last attempt that merely timed out
   * explains less than the connection that was refused before it.
   */
  TransportFailure clearer(@Nullable TransportFailure earlier) {
    return earlier != null && call.verb().isRead() && failure.getCause() instanceof TimeoutException
        ? earlier
        : this;
  }

  public DatastoreException exception() {
    String server = "the Kubernetes API at " + access.server();
    Optional<String> reason =
        causes().reversed().stream().map(this::reason).filter(text -> !text.isEmpty()).findFirst();
    if (refusesOurCertificate()) {
      return new UnauthorizedException(
          "%s refuses our certificate: renew that of %s".formatted(server, access.origin()),
          failure);
    }
    if (!call.verb().isRead() && wasSent()) {
      return UnavailableException.outcomeUnknown(
          "%s did not answer, so it is not known whether %s was written (%s): read before repeating it"
              .formatted(server, call.subject(), reason.orElse(words(failure))),
          failure);
    }
    return new UnavailableException(
        "%s cannot be asked for %s: %s"
            .formatted(
                server,
                call.subject(),
                reason.orElseGet(
                    () -> words(failure) + ", check that it runs and can be reached from here")),
        failure);
  }

  private boolean refusesOurCertificate() {
    return causes().stream()
        .filter(SSLException.class::isInstance)
        .map(e -> words(e).toLowerCase(Locale.ROOT))
        .anyMatch(text -> text.contains("alert") && text.contains("certificate"));
  }

  private String reason(Throwable e) {
    return switch (e) {
      case CertificateExpiredException _ -> "its certificate has expired, renew it";
      case CertificateNotYetValidException _ ->
          "its certificate is not valid yet, check this machine's clock";
      case CertPathBuilderException _, CertPathValidatorException _ ->
          "its certificate is not signed by an authority that %s names, correct that"
              .formatted(access.origin());
      case CertificateException _ ->
          "its certificate is not for this name (%s), use a name that it lists".formatted(words(e));
      case UnresolvedAddressException _, UnknownHostException _ ->
          "its name cannot be resolved, correct it or check DNS";
      case HttpConnectTimeoutException _ -> "it does not accept connections in time";
      case ConnectException _ ->
          "the connection is refused%s, check that it runs and the port is right"
              .formatted(e.getMessage() == null ? "" : " (" + words(e) + ")");
      case SSLException _ when words(e).contains("plaintext") || words(e).contains("SSL message") ->
          "it does not speak TLS, does it want http://?";
      case SSLException _ -> "TLS failed (%s)".formatted(words(e));
      default -> "";
    };
  }

  private List<Throwable> causes() {
    List<Throwable> causes = new ArrayList<>();
    for (Throwable at = failure; at != null && causes.size() < DEPTH; at = at.getCause()) {
      causes.add(at);
    }
    return causes;
  }

  private static String words(Throwable e) {
    String message = e.getMessage();
    return message == null || message.isBlank()
        ? e.getClass().getSimpleName()
        : message.lines().findFirst().orElse("");
  }
}
