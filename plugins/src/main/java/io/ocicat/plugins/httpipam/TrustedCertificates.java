package io.ocicat.plugins.httpipam;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.datastore.config.InsecureTrust;
import io.ocicat.netlink.linux.RegularFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** The certificate authorities that are trusted. */
final class TrustedCertificates {
  /** Distributions' bundles of all public authorities have some 250 kB. */
  private static final int MAX_BYTES = 16 << 20;

  /**
   * Where Linux distributions keep the machine's authorities, to which its administrator may add.
   */
  private static final List<Path> BUNDLES =
      List.of(
          Path.of("/etc/ssl/certs/ca-certificates.crt"),
          Path.of("/etc/pki/tls/certs/ca-bundle.crt"),
          Path.of("/etc/ssl/ca-bundle.pem"),
          Path.of("/etc/ssl/cert.pem"));

  private TrustedCertificates() {}

  /**
   * Plain HTTP never uses the context, but without one the client would create its own, which takes
   * longer than the rest of the call.
   */
  static SSLContext context(HttpIpamConf conf) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers(conf), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new CniException(ErrorCode.INTERNAL, "cannot set up TLS: " + e.getMessage(), e);
    }
  }

  private static TrustManager @Nullable [] managers(HttpIpamConf conf)
      throws GeneralSecurityException {
    if (!conf.isTls()) {
      return new TrustManager[0];
    }
    if (conf.insecureSkipVerify()) {
      return new TrustManager[] {new InsecureTrust()};
    }
    Optional<Path> bundle =
        Optional.ofNullable(conf.caFile())
            .or(() -> BUNDLES.stream().filter(Files::isReadable).findFirst());
    // Null means those of the Java runtime.
    return bundle.isPresent() ? of(bundle.get()) : null;
  }

  private static TrustManager[] of(Path file) throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    try (InputStream in = new ByteArrayInputStream(RegularFile.read(file, MAX_BYTES))) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int count = 0;
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("ca" + count++, certificate);
      }
      if (count == 0) {
        throw new CertificateException("it holds no certificate");
      }
      factory.init(store);
      return factory.getTrustManagers();
    } catch (IOException | CertificateException e) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "the certificates in %s cannot be used: %s".formatted(file, e.getMessage()),
          e);
    }
  }
}
