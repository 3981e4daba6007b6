package io.ocicat.datastore.etcd;

import io.netty.handler.ssl.NotSslRecordException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains why a TLS connection could not be made, by the deepest cause that is specific. */
final class HandshakeFailure {
  /** Bounds the search through causes, which may be cyclic. */
  private static final int DEPTH = 16;

  private HandshakeFailure() {}

  /** Returns an explanation that says what to do; null for any other failure. */
  static @Nullable String reason(@Nullable Throwable failure) {
    List<Throwable> causes = new ArrayList<>();
    for (Throwable at = failure; at != null && causes.size() < DEPTH; at = at.getCause()) {
      causes.add(at);
    }
    return causes.reversed().stream()
        .map(HandshakeFailure::one)
        .filter(reason -> !reason.isEmpty())
        .findFirst()
        .orElse(null);
  }

  /** Whether a retry would only meet the same certificates. */
  static boolean isLasting(@Nullable Throwable failure) {
    Throwable at = failure;
    for (int depth = 0; at != null && depth < DEPTH; depth++) {
      if (at instanceof SSLException || at instanceof CertificateException) {
        return true;
      }
      at = at.getCause();
    }
    return false;
  }

  private static String one(Throwable e) {
    return switch (e) {
      case CertificateExpiredException _ -> "its certificate has expired: renew it";
      case CertificateNotYetValidException _ ->
          "its certificate is not valid yet: check this machine's clock";
      case CertPathBuilderException _, CertPathValidatorException _ ->
          "its certificate is not signed by an authority we trust: correct ETCD_CA_CERT_FILE";
      case CertificateException _ ->
          "its certificate is not for this name (%s): use a name that it lists"
              .formatted(EtcdFailure.firstLine(e));
      case NotSslRecordException _ -> "it does not speak TLS: does it want http://?";
      case UnknownHostException _ -> "its name cannot be resolved: correct it, or check DNS";
      case ConnectException _ -> "connection refused";
      case SSLException _ -> alert(e);
      default -> "";
    };
  }

  private static String alert(Throwable e) {
    String text = EtcdFailure.firstLine(e);
    String lower = text.toLowerCase(Locale.ROOT);
    return lower.contains("fatal alert") && lower.contains("certificate")
        ? "it refuses our certificate (%s): set ETCD_CERT_FILE and ETCD_KEY_FILE to a valid one that its authority signed"
            .formatted(text)
        : "TLS failed (%s)".formatted(text);
  }
}
