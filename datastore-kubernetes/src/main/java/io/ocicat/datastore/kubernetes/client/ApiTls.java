package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.config.InsecureTrust;
import io.ocicat.datastore.config.Pem;
import io.ocicat.datastore.error.InvalidException;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Builds Java's TLS context for an {@link ApiAccess}. */
public final class ApiTls {
  private static final char[] NO_PASSWORD = new char[0];

  private ApiTls() {}

  /**
   * Returns the context for connections.
   *
   * @throws io.ocicat.datastore.error.UnauthorizedException when our own certificate is not valid
   *     now
   */
  public static SSLContext context(ApiAccess access) {
    Pem chain = access.certificate();
    if (chain != null) {
      chain.validCertificates();
    }
    return unchecked(access);
  }

  /** Returns the context without checking the certificate's dates. */
  public static SSLContext unchecked(ApiAccess access) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys(access), trust(access), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new InvalidException(
          "the certificates of %s cannot be used: %s".formatted(access.origin(), e.getMessage()),
          e);
    }
  }

  private static KeyManager @Nullable [] keys(ApiAccess access)
      throws GeneralSecurityException, IOException {
    Pem chain = access.certificate();
    Pem key = access.key();
    if (chain == null || key == null) {
      return null;
    }
    X509Certificate[] certificates = chain.certificates();
    KeyStore store = empty();
    store.setKeyEntry("client", key.key(), NO_PASSWORD, certificates);
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, NO_PASSWORD);
    return factory.getKeyManagers();
  }

  private static TrustManager @Nullable [] trust(ApiAccess access)
      throws GeneralSecurityException, IOException {
    if (access.insecure()) {
      // For insecure-skip-tls-verify.
      return new TrustManager[] {new InsecureTrust()};
    }
    Pem ca = access.ca();
    if (ca == null) {
      return null;
    }
    KeyStore store = empty();
    int index = 0;
    for (X509Certificate certificate : ca.certificates()) {
      store.setCertificateEntry("ca-" + index++, certificate);
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, NO_PASSWORD);
    return store;
  }
}
